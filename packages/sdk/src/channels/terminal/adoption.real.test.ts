import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Scenario, startScriptedModel } from '@remora/scripted-model'
import { getCli, createHome } from '@remora/testkit'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { agents, findAgent } from '../../agents/registry.ts'
import { attachTerminal } from './attach-terminal.ts'
import { findTerminals } from './find-terminals.ts'
import { type Place, eventually, terminalPlace, until } from './terminal.test-data.ts'

let place: Place
beforeEach(async () => {
  place = await terminalPlace()
})
afterEach(() => place.close())

const manyLines = `Run the command.\n${'Grüße 😀 $(x) #{y};\n'.repeat(30)}Now.`

/** A command that the CLI asks for. Codex asks for nothing that its sandbox allows. */
function asking(id: string): Scenario {
  const command = 'touch made.txt && echo shell-out'
  const bash = { name: 'Bash', input: { command, description: 'Makes a file' } }
  const escalated = {
    native: 'exec_command',
    input: { cmd: command, sandbox_permissions: 'require_escalated', justification: 'May I?' },
  }
  return {
    name: 'asking',
    title: 'A command to be allowed',
    prompt: 'Run the command.',
    turns: [[{ tools: [id === 'codex' ? escalated : bash] }, { text: 'The command printed shell-out.' }]],
  }
}

describe.each(['gemini', 'claude', 'codex'])('%s, started by hand in a tmux', { timeout: 480_000 }, (id) => {
  it('is found below a shell, watched, asked and answered, and keeps its size', async () => {
    const agent = findAgent(id)!
    const scenario = asking(id)
    await using model = await startScriptedModel({ scenario })
    const cli = await getCli(id)
    await using home = await createHome(id, { model })
    const { args, env } = agent.terminal!.invocation(id === 'claude' ? { mode: 'default' } : {}, cli.version)
    // As a person would: a shell that he works in, and a script of his that starts the agent.
    const script = join(place.folder, 'go.sh')
    const quote = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`
    const words = [...(/\.[cm]?js$/.test(cli.path) ? [process.execPath] : []), cli.path, ...args]
    const variables = Object.entries({ ...home.env, ...env }).filter(([name]) => name !== 'TERM')
    await writeFile(
      script,
      // Where CI is said to run them, some show no screen at all.
      `unset CI\ncd ${quote(home.cwd)}\n${variables.map(([name, value]) => `export ${name}=${quote(value)}\n`).join('')}${words.map(quote).join(' ')}\n:\n`,
    )
    place.tmux('new-session', '-d', '-s', 'mine', '-x', '111', '-y', '37', 'sh')
    const size = place.tmux('list-windows', '-a', '-F', '#{window_layout}')
    place.tmux('send-keys', '-t', 'mine', `sh ${script}`, 'Enter')

    const found = await eventually(
      async () => (await findTerminals({ env: {}, agents: agents(), sockets: [place.socket] }))[0],
    )
    expect(found).toMatchObject({ name: 'mine', cwd: home.cwd })
    expect(found.agent.id).toBe(id)
    await using terminal = await attachTerminal(found.agent, found.address)
    await until(terminal, (now) => now.state === 'idle')
    await terminal.send(manyLines)
    const { ask } = await until(terminal, (now) => now.state === 'asking')
    // Every line of it, although the CLI shows only that there are many.
    expect(JSON.stringify(model.requests)).toContain(JSON.stringify(manyLines).slice(1, -1))
    expect(JSON.stringify(ask)).toContain('touch made.txt')
    const allow = ask!.options.find(({ effect }) => effect === 'allow')!
    expect(await terminal.answer(ask!.digest, { option: allow.id })).toBe('done')
    expect(await terminal.answer(ask!.digest, { option: allow.id })).toBe('gone')
    await eventually(async () => ((await home.files()).includes('made.txt') ? true : undefined))
    await until(terminal, (now) => now.state === 'idle')
    expect(place.tmux('list-windows', '-a', '-F', '#{window_layout}')).toBe(size)
    if (id === 'codex') {
      // It holds its transcript open.
      const [again] = await findTerminals({ env: {}, agents: agents(), sockets: [place.socket] })
      expect(again?.session).toMatch(/^[\da-f-]{36}$/)
    }
    await terminal.end()
    expect(terminal.now.state).toBe('exited')
    expect(place.tmux('list-panes', '-a', '-F', '#{pane_current_command}')).toBe('sh')
  })
})

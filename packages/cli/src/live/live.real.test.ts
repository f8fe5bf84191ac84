import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import pty from '@lydell/node-pty'
import type { LiveInfo } from '@remora/protocol'
import { type ScriptedModel, startScriptedModel } from '@remora/scripted-model'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { isAlive } from '../../../sdk/src/channels/terminal/process-list.ts'
import { type Home, createHome, pinned, repository } from '../../../../testkit/src/index.ts'

let model: ScriptedModel
let home: Home
let state: string
beforeAll(async () => {
  model = await startScriptedModel()
  home = await createHome('gemini', { model })
  // The path of a socket has a limit.
  state = mkdtempSync('/tmp/rl-')
})
afterAll(async () => {
  for (const { id } of (await ls().catch(() => ({ live: [] }))).live) await remora(['end', id])
  await remora(['stop'])
  await home.remove()
  await model.close()
  rmSync(state, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
  // Each command is a process, and may start a server first.
}, 240_000)

const describeStart = () => ({
  env: { ...home.env, REMORA_HOME: state, REMORA_PORT: '0', GEMINI_CLI_PATH: pinned('gemini').path },
  cwd: home.cwd,
})

function start(words: readonly string[]) {
  const program = join(repository, 'packages/cli/bin/remora.mjs')
  const child = spawn(process.execPath, [program, ...words], describeStart())
  child.stdin.on('error', () => {})
  return child
}

async function remora(words: readonly string[], input = '') {
  const child = start(words)
  child.stdin.end(input)
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { code: code as number, out, err }
}

/** Prompts a session through the MCP server, like another agent, and returns the answer. */
async function promptByMcp(input: object): Promise<string> {
  const child = start(['mcp'])
  const ended = once(child, 'close')
  const about = {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  }
  const messages = [
    { id: 1, method: 'initialize', params: about },
    { method: 'notifications/initialized' },
    { id: 2, method: 'tools/call', params: { name: 'prompt', arguments: input } },
  ]
  for (const message of messages) child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  for await (const line of createInterface({ input: child.stdout })) {
    const { id, result } = JSON.parse(line) as { id?: number; result: { content: [{ text: string }] } }
    if (id !== 2) continue
    child.stdin.end()
    await ended
    return result.content[0].text
  }
  return expect.fail('The MCP server ended without an answer')
}

/** Runs a command in a terminal of its own. */
function openWindow(words: readonly string[]) {
  const { env, cwd } = describeStart()
  const program = [join(repository, 'packages/cli/bin/remora.mjs'), ...words]
  const window = pty.spawn(process.execPath, program, { env, cwd, cols: 100, rows: 30 })
  let output = ''
  window.onData((data) => (output += data))
  return {
    shown: () => output,
    press: (keys: string) => window.write(keys),
    ended: new Promise<number>((resolve) => window.onExit(({ exitCode }) => resolve(exitCode))),
  }
}

async function ls(): Promise<{ live: LiveInfo[] }> {
  return JSON.parse((await remora(['ls', '--json'])).out) as { live: LiveInfo[] }
}

it.each([['terminal', ['--terminal', 'pty']] as const, ['acp', ['--acp']] as const])(
  'starts, prompts, answers and ends an agent by %s, through a crash of the server',
  async (channel, words) => {
    const started = await remora(['new', 'gemini', '--json', ...words])
    expect(started).toMatchObject({ code: 0 })
    const live = JSON.parse(started.out) as LiveInfo
    expect(live).toMatchObject({ agent: 'gemini', channel, cwd: home.cwd })

    const answered = await remora(['send', live.id, 'SAY: Good morning', '--wait', '--timeout', '240'])
    expect(answered).toMatchObject({ code: 0, out: expect.stringContaining('Good morning') })

    // A request ends the wait. After the answer the agent continues.
    const asking = await remora([
      'send',
      live.id,
      `WRITE: ${channel}.txt hello`,
      '--wait',
      '--timeout',
      '240',
    ])
    expect(asking).toMatchObject({ code: 1, err: expect.stringContaining('is waiting for approval') })
    const [ask] = JSON.parse((await remora(['asks', '--json'])).out) as { number: string }[]
    expect(await remora(['answer', ask!.number, 'allow'])).toMatchObject({ code: 0 })
    await expect.poll(() => home.files(), { timeout: 240_000 }).toContain(`${channel}.txt`)

    const { pid } = JSON.parse((await remora(['status', '--json'])).out) as { pid: number }
    process.kill(pid, 'SIGKILL')
    // A process that is exiting accepts connections and closes them.
    await expect.poll(() => isAlive(pid), { timeout: 240_000 }).toBe(false)
    await expect
      .poll(async () => (await ls()).live.map(({ id }) => id), { timeout: 240_000 })
      .toContain(live.id)
    const piped = await remora(
      ['send', live.id, '-', '--wait', '--timeout', '240', '--json'],
      'SAY: Still here',
    )
    expect(piped.code, piped.err).toBe(0)
    expect(JSON.parse(piped.out)).toMatchObject({
      state: 'done',
      text: expect.stringContaining('Still here'),
    })

    const prompted = await promptByMcp({ session: live.id, text: 'SAY: From a colleague' })
    expect(JSON.parse(prompted)).toMatchObject({
      state: 'done',
      text: expect.stringContaining('From a colleague'),
    })

    const attach = await remora(['attach', live.id, '--print'])
    if (channel === 'acp')
      expect(attach).toMatchObject({ code: 3, err: expect.stringContaining('remora watch') })
    else {
      expect(attach).toMatchObject({ code: 0, out: `remora attach ${live.id}\n` })
      const window = openWindow(['attach', live.id])
      await expect.poll(() => window.shown(), { timeout: 240_000 }).toContain('From a colleague')
      window.press('\u0002d')
      expect(await window.ended).toBe(0)
      expect(window.shown()).toContain(`Detached. Gemini keeps running: remora attach ${live.id}`)
    }

    expect(await remora(['end', live.id])).toMatchObject({
      code: 0,
      out: expect.stringContaining('remora show'),
    })
    const going = (await ls()).live.filter(({ state }) => state !== 'ended')
    expect(going.map(({ id }) => id)).not.toContain(live.id)
    const hint = channel === 'acp' ? 'Read it: remora show' : 'Resume it: remora new gemini --resume'
    const late = await remora(['send', live.id, 'SAY: Too late'])
    expect(late).toMatchObject({ code: 1, err: expect.stringContaining(hint) })
  },
  // Starting an agent takes seconds of CPU time, which can take minutes on a busy machine.
  900_000,
)

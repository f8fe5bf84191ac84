import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Agent } from '../../contract/agent.ts'
import { attachTerminal } from './attach-terminal.ts'
import { fakeAgent, fakeCommand } from './fake-agent.test-data.ts'
import { isAlive } from './process-list.ts'
import { startTerminal } from './start-terminal.ts'
import { type Place, drivers, terminalPlace, until } from './terminal.test-data.ts'
import type { DriverName, Terminal } from './terminal.ts'

let place: Place
let opened: Terminal[]
let driver: DriverName
afterEach(async () => {
  await Promise.all(opened.map((terminal) => terminal.detach()))
  await place.close()
})

const hanging: Agent = { ...fakeAgent, terminal: { ...fakeAgent.terminal, hangsAfterMs: 1_000 } }

/** The fake agent after another command; it records each of its starts. */
async function script(first: string): Promise<string> {
  const file = join(place.folder, 'fake-tui.test-data.mjs')
  await writeFile(
    file,
    `import { appendFileSync, readFileSync } from 'node:fs'
appendFileSync('starts', '.')
const starts = readFileSync('starts', 'utf8').length
${first}
await import(${JSON.stringify(fakeCommand)})
`,
  )
  return file
}

const starts = async () => (await readFile(join(place.folder, 'starts'), 'utf8')).length

async function start(file: string, agent = hanging): Promise<Terminal> {
  const terminal = await startTerminal(agent, {
    cwd: place.folder,
    env: { PATH: process.env['PATH'], HOME: place.folder },
    driver,
    socket: place.socket,
    name: 'it',
    command: process.execPath,
    extraArgs: [file],
  })
  opened.push(terminal)
  return terminal
}

const forEver = 'await new Promise(() => setInterval(() => {}, 60_000))'

describe.each(drivers)('An agent on %s that shows nothing and does nothing', { timeout: 120_000 }, (held) => {
  beforeEach(async () => {
    driver = held
    place = await terminalPlace(held)
    opened = []
  })

  it('is restarted if its CLI is known to hang, and then works', async () => {
    const terminal = await start(await script(`if (starts === 1) ${forEver}`))
    const { pid } = terminal
    await until(terminal, (now) => now.state === 'idle')
    expect(await starts()).toBe(2)
    await expect.poll(() => terminal.pid, { timeout: 30_000 }).not.toBe(pid)
    await expect.poll(() => isAlive(pid), { timeout: 30_000 }).toBe(false)
    await terminal.send('hello')
    await until(terminal, (now) => now.state === 'idle' && terminal.screen().lines.includes('✦ done'))
    await terminal.end()
    expect(terminal.now.state).toBe('exited')
  })

  it('is reported after the last restart', async () => {
    const terminal = await start(await script(forEver))
    const { state, error } = await until(terminal, (now) => now.error !== undefined)
    expect({ state, starts: await starts() }).toEqual({ state: 'starting', starts: 4 })
    expect(error).toMatch(
      /^Fake has shown nothing for \d+ seconds, and does nothing\. End it and start it again\.$/,
    )
    await terminal.end()
    expect(terminal.now.state).toBe('exited')
  })

  it.runIf(held === 'tmux')(
    'is only reported if Remora did not start it, until it shows its screen',
    async () => {
      const file = await script(`import { existsSync } from 'node:fs'
while (!existsSync('go')) await new Promise((resolve) => setTimeout(resolve, 100))`)
      place.tmux('new-session', '-d', '-c', place.folder, process.execPath, file)
      const pane = place.tmux('list-panes', '-a', '-F', '#{pane_id}')
      const terminal = await attachTerminal(hanging, { socket: place.socket, pane })
      opened.push(terminal)
      await until(terminal, (now) => now.error !== undefined)
      expect(terminal.now.state).toBe('starting')
      await writeFile(join(place.folder, 'go'), '')
      expect(await until(terminal, (now) => now.state === 'idle')).not.toHaveProperty('error')
      expect(await starts()).toBe(1)
    },
  )

  it('is not restarted while it works, however long that takes', async () => {
    const terminal = await start(await script('for (const end = Date.now() + 4_000; Date.now() < end;);'))
    expect(
      await until(terminal, ({ state, error }) => state !== 'starting' || error !== undefined),
    ).toMatchObject({
      state: 'idle',
    })
    expect(await starts()).toBe(1)
  })
})

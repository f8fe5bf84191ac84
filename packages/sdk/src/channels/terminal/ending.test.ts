import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Agent } from '../../contract/agent.ts'
import { fakeAgent } from './fake-agent.test-data.ts'
import { startTerminal } from './start-terminal.ts'
import { type Place, drivers, eventually, terminalPlace, until } from './terminal.test-data.ts'
import type { DriverName, Terminal } from './terminal.ts'

let place: Place
let terminal: Terminal | undefined
afterEach(async () => {
  await terminal?.detach()
  await place.close()
})

/** Like OpenCode, which needs the key twice. */
const twice: Agent = {
  ...fakeAgent,
  terminal: { ...fakeAgent.terminal, interrupt: ['Escape', 'Escape'] },
}

/** Works until it gets the key twice. While a file `block` exists it hangs, and then reads all keys at once. */
const program = `
import { existsSync, rmSync } from 'node:fs'
let heard = 0
const draw = (title) => process.stdout.write('\\u001B]2;' + title + '\\u0007\\u001B[2J\\u001B[HFAKE ' + Date.now())
setInterval(() => {
  if (existsSync('block')) {
    rmSync('block')
    for (const end = Date.now() + 2_000; Date.now() < end;);
  }
  draw(heard > 1 ? '◇ Ready' : '✦ Working')
}, 50)
process.stdin.setRawMode(true)
process.stdin.on('data', (chunk) => {
  if (String(chunk) === '\\u001B' && !process.argv.includes('--deaf')) heard++
})
`

async function start(driver: DriverName, ...args: readonly string[]): Promise<Terminal> {
  const file = join(place.folder, 'fake-tui.test-data.mjs')
  await writeFile(file, program)
  terminal = await startTerminal(twice, {
    cwd: place.folder,
    env: { PATH: process.env['PATH'], HOME: place.folder },
    driver,
    socket: place.socket,
    name: 'it',
    command: process.execPath,
    extraArgs: [file, ...args],
  })
  await until(terminal, (now) => now.state === 'working')
  return terminal
}

describe.each(drivers)('An agent that is to stop, on %s', { timeout: 120_000 }, (driver) => {
  beforeEach(async () => {
    place = await terminalPlace(driver)
  })

  it('stops, also if it hung when the keys were pressed', async () => {
    const working = await start(driver)
    const block = join(place.folder, 'block')
    await writeFile(block, '')
    await eventually(async () => (existsSync(block) ? undefined : true))
    await working.interrupt()
    expect(working.now.state).toBe('idle')
  })

  it('is reported if it does not stop', async () => {
    const working = await start(driver, '--deaf')
    await expect(working.interrupt()).rejects.toThrow('Fake works on, although it was told to stop')
    await working.end()
    expect(working.now.state).toBe('exited')
  })
})

import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { attachTerminal } from './attach-terminal.ts'
import { fakeAgent, fakeCommand } from './fake-agent.test-data.ts'
import { findTerminals } from './find-terminals.ts'
import { isAlive } from './process-list.ts'
import { type Place, drivers, eventually, terminalPlace, until } from './terminal.test-data.ts'
import type { Terminal } from './terminal.ts'

// Every test starts a tmux and a program, which takes its time on a busy machine.
vi.setConfig({ testTimeout: 90_000 })

let place: Place
let opened: Terminal[] = []
afterEach(async () => {
  await Promise.all(opened.map((terminal) => terminal.detach()))
  opened = []
  await place.close()
})

async function attach(address: Terminal['address']): Promise<Terminal> {
  const terminal = await attachTerminal(fakeAgent, address)
  opened.push(terminal)
  return terminal
}

describe.each(drivers)('a terminal of %s', (driver) => {
  beforeEach(async () => {
    place = await terminalPlace(driver)
  })

  it('is unchanged after another process attaches', async () => {
    const first = await place.start()
    await first.send('ask ls')
    const { ask } = await until(first, (now) => now.state === 'asking')
    await first.detach()
    const second = await attach(first.address)
    expect(second.now.ask).toEqual(ask)
    expect(second.pid).toBe(first.pid)
    expect(second.screen().title).toBe('✋ Action')
    await until(second, (now) => now.state === 'asking')
    expect(await second.answer(ask!.digest, { option: '1' })).toBe('done')
  })

  it.runIf(driver === 'tmux')('reconnects when its client is disconnected', async () => {
    const terminal = await place.start()
    const { pid } = terminal
    const clients = place.tmux('list-clients', '-F', '#{client_pid}').split('\n')
    for (const client of clients) process.kill(Number(client), 'SIGKILL')
    await eventually(async () => {
      const now = place.tmux('list-clients', '-F', '#{client_pid}')
      return now !== '' && !clients.includes(now) ? true : undefined
    })
    await terminal.send('still there')
    expect(terminal.pid).toBe(pid)
  })

  it('has ended after what holds it was killed', async () => {
    const terminal = await place.start()
    // It takes no more text, so that the next one is still being sent.
    await terminal.send('deaf')
    const sending = terminal.send('hello').catch((error: unknown) => error)
    await place.crash(terminal)
    expect(await until(terminal, (now) => now.state === 'exited')).toEqual({
      state: 'exited',
      exit: { lost: true },
    })
    expect(await sending).toMatchObject({ code: 'not_found' })
    await expect(attachTerminal(fakeAgent, terminal.address)).rejects.toMatchObject({ code: 'not_found' })
    await expect.poll(() => isAlive(terminal.pid), { timeout: 30_000 }).toBe(false)
    expect(place.left()).toEqual([])
  })

  it.runIf(driver === 'tmux')('starts while another tmux server exits', async () => {
    for (let round = 0; round < 10; round++) {
      await place.start()
      place.tmux('kill-server')
    }
    const terminal = await place.start()
    expect(await until(terminal, (now) => now.state === 'idle')).toMatchObject({ state: 'idle' })
  })

  it('reports the signal that ended the agent', async () => {
    const terminal = await place.start()
    process.kill(terminal.pid, 'SIGKILL')
    expect(await until(terminal, (now) => now.state === 'exited')).toEqual({
      state: 'exited',
      exit: { signal: 'SIGKILL' },
    })
  })

  it('handles a flood of output in bounded memory, and shows its end', async () => {
    const terminal = await place.start()
    const slow = terminal.output(AbortSignal.timeout(300_000))[Symbol.asyncIterator]()
    const before = process.memoryUsage()
    let highest = 0
    const timer = setInterval(() => {
      const { heapUsed, external } = process.memoryUsage()
      highest = Math.max(highest, heapUsed + external - before.heapUsed - before.external)
    }, 5)
    await terminal.press({ text: 'flood 10000000' }, { key: 'Enter' })
    await eventually(async () => (await place.noted()).find((entry) => 'flooded' in entry))
    await until(terminal, (now) => now.state === 'idle' && now.input === '')
    clearInterval(timer)
    expect(highest).toBeLessThan(60 * 1024 * 1024)
    // A slow reader gets the screen, not the flood.
    const { value } = await slow.next()
    expect((value as string).length).toBeLessThan(2 * 1024 * 1024)
    const shown = (await place.capture(terminal)).split('\n')
    await eventually(async () => (terminal.screen().lines[0] === shown[0] ? true : undefined))
    expect(terminal.screen().lines.join('\n').trimEnd()).toBe(
      shown
        .map((line) => line.trimEnd())
        .join('\n')
        .trimEnd(),
    )
  })

  it.runIf(driver === 'tmux')(
    'does not block the agent while we hang, and then shows the current screen',
    async () => {
      const terminal = await place.start()
      const client = Number(place.tmux('list-clients', '-F', '#{client_pid}'))
      process.kill(client, 'SIGSTOP')
      place.tmux('send-keys', '-t', terminal.address.pane, 'flood 5000000', 'Enter')
      await eventually(async () => (await place.noted()).find((entry) => 'flooded' in entry))
      place.tmux('send-keys', '-t', terminal.address.pane, 'exit', 'Space', 'x')
      process.kill(client, 'SIGCONT')
      await until(terminal, (now) => now.input === 'exit x')
      expect(place.tmux('list-clients', '-F', '#{client_pid}')).toBe(String(client))
    },
  )

  it('is not confused by text on the screen', async () => {
    const terminal = await place.start()
    const lines = ['%end 1 1 1', '%error 1 1 1', '%begin 1 1 1', '%output %0 x', '%exit', '%window-close @0']
    await terminal.send(`print \\e[2J\\e[H${lines.join('\\e[1E')}\\e]2;#(touch pwned) #{pane_id} %exit\\a`)
    await eventually(async () => {
      const { lines: shown } = terminal.screen()
      return shown[0] === '%end 1 1 1' || shown[0] === 'FAKE' ? true : undefined
    })
    for (let turn = 0; turn < 20; turn++) await terminal.refresh()
    await terminal.send('after')
    expect((await place.noted()).at(-1)).toEqual({ prompt: 'after' })
  })
})

describe('an agent in the user’s own tmux', () => {
  beforeEach(async () => {
    place = await terminalPlace()
  })

  it('is found below a shell, watched and driven, and keeps its size', async () => {
    const log = join(place.folder, 'log')
    place.tmux('new-session', '-d', '-s', 'mine here', '-x', '77', '-y', '22', '-c', place.folder, 'sh')
    place.tmux('split-window', '-d', '-t', 'mine here', 'sleep 1000')
    place.tmux('new-window', '-d', '-t', 'mine here', `tail -f ${fakeCommand}`)
    const size = place.tmux('list-windows', '-a', '-F', '#{window_layout}')
    const variables = place.tmux('show-environment', '-t', 'mine here')
    expect(await findTerminals({ env: {}, agents: [fakeAgent], sockets: [place.socket] })).toEqual([])
    // A shell, a shell script, and node.
    const script = join(place.folder, 'run.sh')
    await writeFile(
      script,
      `FAKE_LOG=${log} "${process.execPath}" --no-warnings "${fakeCommand}" --resume s-1\n:\n`,
    )
    place.tmux('send-keys', '-t', 'mine here:0.0', `sh ${script}`, 'Enter')
    const found = await eventually(async () => {
      const [one] = await findTerminals({ env: {}, agents: [fakeAgent], sockets: [place.socket, '/nowhere'] })
      return one
    })
    expect(found).toMatchObject({
      name: 'mine here',
      cwd: place.folder,
      args: ['--resume', 's-1'],
      session: 's-1',
    })
    expect(Math.abs(found.startedAt! - Date.now())).toBeLessThan(60_000)
    const terminal = await attach(found.address)
    expect(terminal.pid).toBe(found.pid)
    await until(terminal, (now) => now.state === 'idle')
    await terminal.send('from afar')
    await expect(terminal.resize(100, 40)).rejects.toMatchObject({ code: 'unsupported' })
    // The guard that keeps plan mode read-only is set up at the start.
    await expect(terminal.setMode('plan')).rejects.toMatchObject({ code: 'unsupported' })
    expect(place.tmux('list-windows', '-a', '-F', '#{window_layout}')).toBe(size)
    expect(place.tmux('show-environment', '-t', 'mine here')).toBe(variables)
    // The user closes it, and their shell keeps running.
    await terminal.end()
    expect(terminal.now.state).toBe('exited')
    expect((await place.noted()).flatMap((entry) => entry['prompt'] ?? [])).toEqual(['from afar', '/quit'])
    expect(place.tmux('list-windows', '-a', '-F', '#{window_layout}')).toBe(size)
    await expect(attachTerminal(fakeAgent, found.address)).rejects.toMatchObject({ code: 'not_found' })
  })

  it('has ended after its pane was closed', async () => {
    const command = `FAKE_LOG=${join(place.folder, 'log')} "${process.execPath}" "${fakeCommand}"; cat`
    place.tmux('new-session', '-d', '-s', 'a', command)
    place.tmux('new-session', '-d', '-s', 'b', 'cat')
    const found = await eventually(
      async () => (await findTerminals({ env: {}, agents: [fakeAgent], sockets: [place.socket] }))[0],
    )
    const terminal = await attach(found.address)
    place.tmux('kill-pane', '-t', found.address.pane)
    expect(await until(terminal, (now) => now.state === 'exited')).toMatchObject({ state: 'exited' })
    expect(place.tmux('has-session', '-t', 'b')).toBe('')
  })
})

describe('the machine', () => {
  beforeEach(async () => {
    place = await terminalPlace()
  })

  it('reports a missing tmux, and refuses a path that is too long', async () => {
    const path = process.env['PATH']
    process.env['PATH'] = place.folder
    try {
      await expect(place.start()).rejects.toMatchObject({ code: 'config', hint: /Install it/ })
    } finally {
      process.env['PATH'] = path
    }
    await expect(place.start({ socket: `/tmp/${'x'.repeat(120)}` })).rejects.toMatchObject({ code: 'config' })
    await expect(place.start({ cwd: '/nowhere' })).rejects.toMatchObject({ code: 'input' })
  })
})

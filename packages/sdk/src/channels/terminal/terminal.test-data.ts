import { spawn, spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { HostConnection } from '../../pty/host-connection.ts'
import { fakeAgent, fakeCommand } from './fake-agent.test-data.ts'
import { listProcesses } from './process-list.ts'
import { startTerminal } from './start-terminal.ts'
import type { DriverName, StartOptions, Terminal, TerminalNow } from './terminal.ts'

export interface Place {
  readonly folder: string
  readonly socket: string
  /** Starts the fake agent, and waits until it is ready. */
  start(options?: Partial<StartOptions>): Promise<Terminal>
  /** The log of the fake agent. */
  noted(): Promise<Record<string, unknown>[]>
  tmux(...args: readonly string[]): string
  /** Types at the terminal as a user who has attached. */
  type(terminal: Terminal, text: string): Promise<void>
  /** Resizes the window of a user who has attached. */
  attachWindow(terminal: Terminal, columns: number, rows: number): Promise<void>
  /** The rows of the terminal, as what holds it has them. */
  capture(terminal: Terminal): Promise<string>
  /** Ends what holds the terminal, as a crash does. */
  crash(terminal: Terminal): Promise<void>
  /** What holds terminals now; empty if nothing is left. */
  left(): string[]
  close(): Promise<void>
}

/** Both drivers, for `describe.each`. */
export const drivers = ['tmux', 'pty'] as const

/** A folder with a tmux server or hosts of its own. The path is short, since that of a socket is limited. */
export async function terminalPlace(driver: DriverName = 'tmux'): Promise<Place> {
  const folder = await mkdtemp('/tmp/rt-')
  const socket = join(folder, 's')
  const log = join(folder, 'log')
  const opened: Terminal[] = []
  let count = 0
  const tmux = (...args: readonly string[]): string => {
    const { stdout, stderr } = spawnSync('tmux', ['-u', '-f', '/dev/null', '-S', socket, ...args])
    return `${stdout.toString()}${stderr.toString()}`.trimEnd()
  }
  const windows = new Map<string, HostConnection>()
  const openWindow = async ({ address }: Terminal): Promise<HostConnection> => {
    const window =
      windows.get(address.socket) ??
      (await HostConnection.open(address.socket, { role: 'window' }, { output() {}, message() {} }))
    windows.set(address.socket, window)
    return window
  }
  return {
    folder,
    socket,
    tmux,
    start: async (options = {}) => {
      const terminal = await startTerminal(fakeAgent, {
        cwd: folder,
        env: { PATH: process.env['PATH'], HOME: folder, FAKE_LOG: log },
        driver,
        socket: driver === 'pty' ? `${socket}${count}` : socket,
        name: `fake-${count++}`,
        command: process.execPath,
        ...options,
        extraArgs: [fakeCommand, ...(options.extraArgs ?? [])],
      })
      opened.push(terminal)
      await until(terminal, (now) => now.state === 'idle')
      return terminal
    },
    noted: async () => {
      const text = await readFile(log, 'utf8').catch(() => '')
      return text
        .trim()
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as Record<string, unknown>)
    },
    type: async (terminal, text) => {
      if (driver === 'tmux') tmux('send-keys', '-t', terminal.address.pane, '-l', text)
      else (await openWindow(terminal)).write(Buffer.from(text))
    },
    attachWindow: async (terminal, columns, rows) => {
      if (driver === 'pty') return (await openWindow(terminal)).send({ type: 'size', columns, rows })
      const person = spawn('tmux', ['-S', socket, '-C', 'attach'], { stdio: ['pipe', 'ignore', 'ignore'] })
      person.stdin.end(`refresh-client -C ${columns}x${rows}\n`)
    },
    capture: async ({ address }) => {
      if (driver === 'tmux') return tmux('capture-pane', '-p', '-t', address.pane)
      const host = await openHost(address.socket)
      const { screen } = await host.request({ do: 'capture' })
      host.close()
      return screen.lines.join('\n')
    },
    crash: async (terminal) => {
      if (driver === 'tmux') tmux('kill-server')
      else process.kill(await findHost(terminal), 'SIGKILL')
    },
    left: () => {
      const sockets = readdirSync(folder).filter((name) => name.startsWith('s'))
      if (driver === 'pty') return sockets
      return /no server|error connecting/.test(tmux('list-sessions')) ? [] : sockets
    },
    close: async () => {
      for (const window of windows.values()) window.close()
      await Promise.all(opened.map((terminal) => terminal.detach()))
      if (driver === 'tmux') tmux('kill-server')
      else await Promise.all(opened.map(({ address }) => endHost(address.socket)))
      await rm(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

/** The process of a PTY host: the parent of the agent's leader. */
async function findHost({ pid }: Terminal): Promise<number> {
  const processes = await listProcesses()
  return processes.get(processes.get(pid)!.parent)!.parent
}

function openHost(socket: string): Promise<HostConnection> {
  return HostConnection.open(socket, { role: 'driver' }, { output() {}, message() {} })
}

/** Ends a PTY host and its agent. */
async function endHost(socket: string): Promise<void> {
  const host = await openHost(socket).catch(() => undefined)
  await host?.request({ do: 'remove' }).catch(() => {})
  await host?.ended
}

/** Waits for a state, as a reader of `watch` does. */
export async function until(terminal: Terminal, wanted: (now: TerminalNow) => boolean): Promise<TerminalNow> {
  for await (const now of terminal.watch(AbortSignal.timeout(240_000))) if (wanted(now)) return now
  const ours = terminal.screen().lines.join('\n')
  throw new Error(`It came not to that, but to ${JSON.stringify(terminal.now)}\nOurs:\n${ours}`)
}

/** Waits until a condition holds that causes no event. */
export async function eventually<T>(look: () => Promise<T | undefined>): Promise<T> {
  for (let tries = 0; tries < 12_000; tries++) {
    const found = await look()
    if (found !== undefined) return found
    await sleep(20)
  }
  throw new Error('It did not come to that')
}

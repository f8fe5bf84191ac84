import { spawnSync } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fakeAgent, fakeCommand } from './fake-agent.test-data.ts'
import { startTerminal } from './start-terminal.ts'
import type { StartOptions, Terminal, TerminalNow } from './terminal.ts'

export interface Place {
  readonly folder: string
  readonly socket: string
  /** Starts the fake agent, and waits until it is ready. */
  start(options?: Partial<StartOptions>): Promise<Terminal>
  /** The log of the fake agent. */
  noted(): Promise<Record<string, unknown>[]>
  tmux(...args: readonly string[]): string
  close(): Promise<void>
}

/** A folder with a tmux server of its own. The path is short, since that of a socket is limited. */
export async function terminalPlace(): Promise<Place> {
  const folder = await mkdtemp('/tmp/rt-')
  const socket = join(folder, 's')
  const log = join(folder, 'log')
  const opened: Terminal[] = []
  let count = 0
  const tmux = (...args: readonly string[]): string => {
    const { stdout, stderr } = spawnSync('tmux', ['-u', '-f', '/dev/null', '-S', socket, ...args])
    return `${stdout.toString()}${stderr.toString()}`.trimEnd()
  }
  return {
    folder,
    socket,
    tmux,
    start: async (options = {}) => {
      const terminal = await startTerminal(fakeAgent, {
        cwd: folder,
        env: { PATH: process.env['PATH'], HOME: folder, FAKE_LOG: log },
        socket,
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
    close: async () => {
      await Promise.all(opened.map((terminal) => terminal.detach()))
      tmux('kill-server')
      await rm(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

/** Waits for a state, as a reader of `watch` does. */
export async function until(terminal: Terminal, wanted: (now: TerminalNow) => boolean): Promise<TerminalNow> {
  for await (const now of terminal.watch(AbortSignal.timeout(240_000))) if (wanted(now)) return now
  const { socket, pane } = terminal.address
  // Beside what we have of it, since one of the two may be wrong.
  const real = spawnSync('tmux', ['-S', socket, 'capture-pane', '-p', '-t', pane]).stdout.toString()
  const ours = terminal.screen().lines.join('\n')
  throw new Error(
    `It came not to that, but to ${JSON.stringify(terminal.now)}\nOurs:\n${ours}\nThe pane:\n${real}`,
  )
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

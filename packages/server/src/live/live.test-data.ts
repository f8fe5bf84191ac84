import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { setTimeout as sleep } from 'node:timers/promises'
import { execFileSync } from 'node:child_process'
import { type Ledger, openLedger } from '@remora/ledger'
import type { LiveInfo, StartRequest } from '@remora/protocol'
import { createLineLog } from '../core/log.ts'
import { type Store, createLedgerStore } from '../core/store.ts'
import { type RunningServer, type ServerOptions, startServer } from '../start-server.ts'

const fake = fileURLToPath(new URL('fake-gemini.test-data.mjs', import.meta.url))

/** A separate home with a server, and a program that imitates Gemini CLI. */
export interface Stage extends AsyncDisposable {
  readonly folder: string
  readonly remoraHome: string
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly server: RunningServer
  readonly logged: string[]
  start(request?: Partial<StartRequest>): Promise<LiveInfo>
  /** Stops the server and starts another one. Between them a test can do what a killed server may have left. */
  restart(between?: (left: { store: Store; ledger: Ledger }) => Promise<void>): Promise<void>
  /** What the agent logged: prompts and choices. */
  noted(): Promise<{ prompt?: string; choice?: number; command?: string }[]>
  until<T>(what: string, look: () => T | undefined | false | Promise<T | undefined | false>): Promise<T>
  tmux(...args: readonly string[]): string
}

/** @example await using stage = await openLiveStage() */
export async function openLiveStage(options: Partial<ServerOptions> = {}): Promise<Stage> {
  // Short, because the path of a socket is limited.
  const folder = await mkdtemp('/tmp/rl-')
  const remoraHome = join(folder, 'r')
  const cwd = join(folder, 'work')
  await mkdir(cwd)
  const log = join(folder, 'log')
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: folder,
    TERM: 'xterm-256color',
    LANG: 'C.UTF-8',
    TMUX_TMPDIR: folder,
    FAKE_LOG: log,
    GEMINI_CLI_PATH: fake,
  }
  const logged: string[] = []
  const open = (): Promise<RunningServer> =>
    startServer({
      remoraHome,
      env,
      home: folder,
      version: '0.0.0',
      port: 0,
      log: createLineLog((line) => logged.push(line)),
      ...options,
    })
  let server = await open()
  const tmux = (...args: readonly string[]): string =>
    execFileSync('tmux', ['-u', '-f', '/dev/null', '-S', join(remoraHome, 'tmux.sock'), ...args]).toString()

  return {
    folder,
    remoraHome,
    cwd,
    env,
    logged,
    get server() {
      return server
    },
    tmux,
    start: (request = {}) => server.context.live.start({ agent: 'gemini', cwd, ...request }),
    async restart(between) {
      await server.close()
      if (between) {
        const ledger = await openLedger({ file: join(remoraHome, 'ledger.db') })
        await between({ ledger, store: createLedgerStore(ledger) })
        await ledger.close()
      }
      server = await open()
    },
    async noted() {
      const text = await readFile(log, 'utf8').catch(() => '')
      return text
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as { prompt?: string })
    },
    async until(what, look) {
      // Starting a program takes seconds on a busy machine.
      const deadline = Date.now() + 45_000
      for (;;) {
        const found = await look()
        if (found) return found
        if (Date.now() > deadline) {
          const screens = server.context.live
            .list()
            .map(({ id }) => server.context.live.terminal(id)?.screen().lines.join('\n'))
          throw new Error(`Timed out: ${what}\n${screens.join('\n')}\n${logged.join('')}`)
        }
        await sleep(20)
      }
    },
    async [Symbol.asyncDispose]() {
      await server.close()
      try {
        tmux('kill-server')
      } catch {
        // No server ran.
      }
      await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
    },
  }
}

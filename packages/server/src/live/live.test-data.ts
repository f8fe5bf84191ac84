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

/** A home of its own, a server in it, and a program that passes for Gemini CLI. */
export interface Stage extends AsyncDisposable {
  readonly folder: string
  readonly remoraHome: string
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly server: RunningServer
  readonly logged: string[]
  start(request?: Partial<StartRequest>): Promise<LiveInfo>
  /** Ends the server and starts another one; what is done between them is what a killed one may have left. */
  restart(between?: (left: { store: Store; ledger: Ledger }) => Promise<void>): Promise<void>
  /** What the agent noted: prompts that came, choices that were made. */
  noted(): Promise<{ prompt?: string; choice?: number; command?: string }[]>
  until<T>(what: string, look: () => T | undefined | false | Promise<T | undefined | false>): Promise<T>
  tmux(...words: readonly string[]): string
}

/** @example await using stage = await liveStage() */
export async function liveStage(options: Partial<ServerOptions> = {}): Promise<Stage> {
  // Short, since the path of a socket has its limits.
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
  const tmux = (...words: readonly string[]): string =>
    execFileSync('tmux', ['-u', '-f', '/dev/null', '-S', join(remoraHome, 'tmux.sock'), ...words]).toString()

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
      // To start a program takes seconds where the machine has much else to do.
      const deadline = Date.now() + 45_000
      for (;;) {
        const found = await look()
        if (found) return found
        if (Date.now() > deadline) {
          const screens = server.context.live
            .list()
            .map(({ id }) => server.context.live.terminal(id)?.screen().lines.join('\n'))
          throw new Error(`It never came to this: ${what}\n${screens.join('\n')}\n${logged.join('')}`)
        }
        await sleep(20)
      }
    },
    async [Symbol.asyncDispose]() {
      await server.close()
      try {
        tmux('kill-server')
      } catch {
        // There was none.
      }
      await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
    },
  }
}

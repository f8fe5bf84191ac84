import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { renameNode } from '@remora/ledger'
import type { Command, CommandBody, LiveInfo, StartRequest } from '@remora/protocol'
import type { LiveChange } from '../core/live.ts'
import { createLineLog } from '../core/log.ts'
import { type RunningServer, type ServerOptions, startServer } from '../start-server.ts'
import { type FleetTimes, fleetTimes } from './heartbeats.ts'

const fake = fileURLToPath(new URL('../live/fake-gemini.test-data.mjs', import.meta.url))

/** Short for a test, but long enough for a busy machine. */
export const testTimes: FleetTimes = { ...fleetTimes, beatMs: 300, changeMs: 50, pollMs: 300 }

/** One machine: a home with a server, and a program that imitates Gemini CLI. */
export class Machine {
  readonly folder: string
  readonly remoraHome: string
  readonly cwd: string
  readonly logged: string[] = []
  readonly changes: LiveChange[] = []
  readonly #env: Readonly<Record<string, string>>
  readonly #options: Partial<ServerOptions>
  server!: RunningServer

  constructor(folder: string, database: string, options: Partial<ServerOptions>) {
    this.folder = folder
    this.remoraHome = join(folder, 'r')
    this.cwd = join(folder, 'work')
    this.#options = options
    this.#env = {
      PATH: process.env['PATH'] ?? '',
      HOME: folder,
      TERM: 'xterm-256color',
      LANG: 'C.UTF-8',
      TMUX_TMPDIR: folder,
      FAKE_LOG: join(folder, 'log'),
      GEMINI_CLI_PATH: fake,
      REMORA_DATABASE_URL: database,
    }
  }

  get live() {
    return this.server.context.live
  }

  get ledger() {
    return this.server.context.ledger
  }

  async open(): Promise<void> {
    this.server = await startServer({
      remoraHome: this.remoraHome,
      env: this.#env,
      home: this.folder,
      version: '0.0.0',
      port: 0,
      log: createLineLog((line) => this.logged.push(line)),
      fleet: { times: testTimes },
      ...this.#options,
    })
    this.live.on((change) => this.changes.push(change))
  }

  start(request: Partial<StartRequest> = {}): Promise<LiveInfo> {
    return this.live.start({ agent: 'gemini', cwd: this.cwd, ...request })
  }

  submit(id: string, target: LiveInfo, body: CommandBody | string): Promise<Command> {
    const { agent, session } = target
    const wanted: CommandBody =
      typeof body === 'string' ? { kind: 'prompt', content: [{ type: 'text', text: body }] } : body
    return this.live.submit({ id, client: 'phone', target: { agent, session }, body: wanted })
  }

  /** The reported states of a command, each once. */
  states(id: string): string[] {
    const reported = this.changes.flatMap((change) =>
      change.type === 'command' && change.command.id === id ? [change.command.state] : [],
    )
    return reported.filter((state, index) => state !== reported[index - 1])
  }

  /** The log of the agent: its prompts and choices. */
  async noted(): Promise<{ prompt?: string; choice?: number; command?: string }[]> {
    const text = await readFile(join(this.folder, 'log'), 'utf8').catch(() => '')
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as { prompt?: string })
  }

  async prompts(): Promise<string[]> {
    return (await this.noted()).flatMap(({ prompt }) => (prompt === undefined ? [] : [prompt]))
  }

  async dispose(): Promise<void> {
    await this.server.close()
    try {
      execFileSync('tmux', ['-S', join(this.remoraHome, 'tmux.sock'), 'kill-server'], { stdio: 'ignore' })
    } catch {
      // The agent has logged nothing.
    }
  }
}

export interface FleetStage extends AsyncDisposable {
  readonly database: string
  readonly laptop: Machine
  readonly desktop: Machine
  until<T>(what: string, look: () => T | undefined | false | Promise<T | undefined | false>): Promise<T>
}

/** Creates two machines with one ledger. @example await using stage = await createFleetStage() */
export async function createFleetStage(
  options: {
    readonly laptop?: Partial<ServerOptions>
    readonly desktop?: Partial<ServerOptions>
    /** The address of a database; the ledger is a file by default. */
    readonly database?: string
  } = {},
): Promise<FleetStage> {
  // Short, because the length of a socket path is limited.
  const folder = await mkdtemp('/tmp/rf-')
  const database = join(folder, 'shared', 'ledger.db')
  await mkdir(join(folder, 'shared'))
  const make = async (name: 'laptop' | 'desktop'): Promise<Machine> => {
    const machine = new Machine(
      join(folder, name),
      options.database ?? `file://${database}`,
      options[name] ?? {},
    )
    await mkdir(machine.cwd, { recursive: true })
    await renameNode(machine.remoraHome, name)
    await machine.open()
    return machine
  }
  const [laptop, desktop] = [await make('laptop'), await make('desktop')]
  return {
    database,
    laptop,
    desktop,
    async until(what, look) {
      const deadline = Date.now() + 60_000
      for (;;) {
        const found = await look()
        if (found) return found
        if (Date.now() > deadline)
          throw new Error(
            `It never came to this: ${what}\n${[laptop, desktop].map(({ logged }) => logged.join('')).join('\n')}`,
          )
        await sleep(20)
      }
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([laptop.dispose(), desktop.dispose()])
      await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
    },
  }
}

import { setTimeout as sleep } from 'node:timers/promises'
import { awaitChange } from '@remora/intake'
import { type Ledger, type OwnNode, type SessionKey, getOwnNode } from '@remora/ledger'
import {
  type Command,
  type CommandBody,
  type LiveFrame,
  type LiveInfo,
  RemoraError,
  type StartRequest,
} from '@remora/protocol'
import type { FoundTerminal, Terminal } from '@remora/sdk/terminal'
import { refuseOpenCommands } from '../live/close-session.ts'
import { findByName } from '../live/live-record.ts'
import type { Live, LiveChange } from '../core/live.ts'
import type { Log } from '../core/log.ts'
import { OpenCommands } from './open-commands.ts'
import { OtherNodes } from './other-nodes.ts'
import { type FleetTimes, Heartbeats, fleetTimes } from './heartbeats.ts'
import { createElsewhereError, describeOffline, getMachineName } from './machine-errors.ts'
import { readFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { uploadBytes } from '../files/uploads.ts'

export interface FleetLiveOptions {
  readonly ledger: Ledger
  /** The sessions of this machine. */
  readonly local: Live
  readonly remoraHome: string
  readonly log: Log
  readonly times?: FleetTimes
  readonly now?: () => number
}

/** How long a new server waits for the first list of the other machines. */
const firstListMs = 3_000
const retryMs = 1_000

/**
 * The sessions of this machine and of all others that share its ledger. Commands for a remote session go through the
 * ledger, and its own server executes them once.
 */
export class FleetLive implements Live {
  readonly #options: FleetLiveOptions
  readonly #times: FleetTimes
  readonly #node: string
  readonly #others: OtherNodes
  readonly #commands: OpenCommands
  readonly #listeners = new Set<(change: LiveChange) => void>()
  readonly #closed = new AbortController()
  readonly #first: Promise<void>
  readonly #watching: Promise<void>

  constructor(options: FleetLiveOptions) {
    this.#options = options
    this.#times = options.times ?? fleetTimes
    const { ledger } = options
    if (ledger.node === undefined)
      throw new RemoraError('usage', 'This ledger is not shared between machines')
    this.#node = ledger.node
    this.#others = new OtherNodes(this.#node, this.#times)
    this.#commands = new OpenCommands({
      ledger,
      others: this.#others,
      report: (command) => this.#publish({ type: 'command', command }),
      isLocal: (key) => options.local.of(key) !== undefined,
      findHolder: (key) => this.of(key),
      times: this.#times,
    })
    let resolveFirst = (): void => {}
    this.#first = new Promise((resolve) => (resolveFirst = resolve))
    this.#watching = this.#watch(resolveFirst)
  }

  async restored(name?: string | SessionKey): Promise<void> {
    const isKnown = name !== undefined && (typeof name === 'string' ? this.find(name) : this.of(name))
    await Promise.all([this.#options.local.restored?.(name), isKnown ? undefined : this.listed()])
  }

  async listed(): Promise<void> {
    await Promise.race([this.#first, sleep(firstListMs, undefined, { ref: false })])
  }

  list(): LiveInfo[] {
    return [...this.#options.local.list(), ...this.#others.list()].toSorted(
      (left, right) => left.startedAt - right.startedAt,
    )
  }

  find(word: string): LiveInfo | undefined {
    return findByName(this.list(), word)
  }

  of(key: SessionKey): LiveInfo | undefined {
    return this.#options.local.of(key) ?? this.#others.of(key)
  }

  async start(request: StartRequest): Promise<LiveInfo> {
    const { agent, resume, fork } = request
    if (resume !== undefined) {
      const running = fork ? undefined : this.#others.of({ agent, session: resume })
      if (running)
        throw createElsewhereError(
          'That conversation is running',
          getMachineName(running),
          `Send it a prompt: remora send ${running.id}`,
        )
      const node = (await this.#options.ledger.session({ agent, session: resume }))?.node
      if (node !== undefined && node !== this.#node) {
        const name = await this.#getNodeName(node)
        throw createElsewhereError(
          'The files of that conversation are available',
          name,
          `Resume it there: remora resume ${resume}`,
        )
      }
    }
    return this.#options.local.start(request)
  }

  adoptable(): Promise<FoundTerminal[]> {
    return this.#options.local.adoptable()
  }

  adopt(found: FoundTerminal): Promise<LiveInfo> {
    return this.#options.local.adopt(found)
  }

  async release(id: string): Promise<void> {
    const other = this.#others.get(id)
    if (other)
      throw createElsewhereError(
        'This session can be detached',
        getMachineName(other),
        `End it from here: remora end ${id}`,
      )
    await this.#options.local.release(id)
  }

  async submit(command: Omit<Command, 'state' | 'at'>): Promise<Command> {
    const { local, ledger, remoraHome, now = Date.now } = this.#options
    await this.restored(command.target)
    const other = local.of(command.target) ? undefined : this.#others.of(command.target)
    if (!other) return local.submit(command)
    const { agent, session } = other
    const body = await embedUploads(remoraHome, command.body)
    const remote = { ...command, target: { agent, session }, body, at: now() }
    // The last known state may be old, so the heartbeat is read again.
    const node = (await ledger.nodes.list()).find(({ id }) => id === other.node?.id)
    const silentMs = node?.silentMs ?? Number.POSITIVE_INFINITY
    const stored =
      silentMs > this.#times.silentMs
        ? await ledger.commands.submit({
            ...remote,
            state: 'refused',
            reason: describeUnreachable(other, silentMs),
          })
        : await ledger.commands.submit({ ...remote, state: 'queued' })
    this.#commands.add(stored, other)
    this.#publish({ type: 'command', command: stored })
    return stored
  }

  async edit(id: Pick<Command, 'id' | 'client'>, body: CommandBody): Promise<Command> {
    const { local, ledger, remoraHome } = this.#options
    const known = await ledger.commands.find(id)
    const isOther = known && !local.of(known.target) && this.#others.of(known.target)
    if (!isOther || body.kind !== 'prompt') return local.edit(id, body)
    // The uploads are on this machine, but the agent is not.
    const edited = await ledger.commands.edit(id, await embedUploads(remoraHome, body))
    if (!edited) throw new RemoraError('conflict', 'Cannot edit: the prompt was already sent or withdrawn')
    this.#publish({ type: 'command', command: edited })
    return edited
  }

  withdraw(id: Pick<Command, 'id' | 'client'>): Promise<Command> {
    return this.#options.local.withdraw(id)
  }

  terminal(id: string): Terminal | undefined {
    const other = this.#others.get(id)
    if (other) {
      const name = getMachineName(other)
      throw createElsewhereError('The terminal is available', name, `On ${name}: remora attach ${id}`)
    }
    return this.#options.local.terminal(id)
  }

  frame(id: string): LiveFrame | undefined {
    return this.#options.local.frame(id)
  }

  on(listener: (change: LiveChange) => void): () => void {
    this.#listeners.add(listener)
    const unsubscribe = this.#options.local.on(listener)
    return () => {
      this.#listeners.delete(listener)
      unsubscribe()
    }
  }

  async close(): Promise<void> {
    this.#closed.abort()
    await this.#watching
  }

  /** Follows the other machines and the commands that were sent to them. */
  async #watch(onFirst: () => void): Promise<void> {
    const { ledger, log } = this.#options
    const { signal } = this.#closed
    let hasFailed = false
    while (!signal.aborted) {
      const changed = awaitChange(ledger, this.#times.pollMs, signal)
      const before = performance.now()
      try {
        await this.#refresh()
        hasFailed = false
        onFirst()
      } catch (error) {
        if (signal.aborted) break
        if (!hasFailed) log('warn', 'Cannot read the other machines', { error: (error as Error).message })
        hasFailed = true
        this.#publishLive(this.#others.age())
        await sleep(retryMs, undefined, { signal, ref: false }).catch(() => {})
      }
      // A refresh takes longer with more machines, so it runs less often.
      const pause = Math.max(this.#times.changeMs, 10 * (performance.now() - before))
      await sleep(pause, undefined, { signal, ref: false }).catch(() => {})
      await changed
    }
  }

  async #refresh(): Promise<void> {
    const { ledger, local } = this.#options
    this.#publishLive(this.#others.update(await ledger.nodes.list()))
    await this.#commands.check()
    // Another machine may have queued a command before it knew that the session ended.
    for (const info of local.list())
      if (info.state === 'ended' && !this.of(info))
        for (const command of await refuseOpenCommands(ledger, info))
          this.#publish({ type: 'command', command })
  }

  async #getNodeName(node: string): Promise<string> {
    return (await this.#options.ledger.nodes.list()).find(({ id }) => id === node)?.name ?? node
  }

  #publishLive(changed: readonly LiveInfo[]): void {
    for (const live of changed) this.#publish({ type: 'live', live })
  }

  #publish(change: LiveChange): void {
    for (const listener of this.#listeners)
      try {
        listener(change)
      } catch (error) {
        this.#options.log('error', 'A listener of session changes failed', { error: String(error) })
      }
  }
}

function describeUnreachable(other: LiveInfo, silentMs: number): string {
  return Number.isFinite(silentMs)
    ? describeOffline(getMachineName(other), silentMs)
    : `Machine ${getMachineName(other)} was removed`
}

export interface FleetOptions extends FleetLiveOptions {
  readonly version: string
}

/** The machines that share a ledger. */
export interface Fleet {
  readonly live: Live
  /** Starts the heartbeat, after the sessions of this machine are restored. */
  start(): void
  close(): Promise<void>
}

/** Joins the machines that share a ledger; undefined for a ledger of one machine. */
export function openFleet({ version, ...options }: FleetOptions): Fleet | undefined {
  const { ledger, local, remoraHome, log, times } = options
  if (ledger.node === undefined) return undefined
  const live = new FleetLive(options)
  const self = (): Promise<OwnNode> => getOwnNode(remoraHome)
  let heartbeats: Heartbeats | undefined
  return {
    live,
    start() {
      heartbeats ??= new Heartbeats({ ledger, live: local, self, version, log, ...(times ? { times } : {}) })
    },
    async close() {
      await Promise.all([heartbeats?.close(), live.close()])
    },
  }
}

/**
 * Replaces uploads by their bytes, because another machine cannot read the file. A path that the user typed means a file
 * on that machine.
 *
 * @example const body = await embedUploads('/home/me/.remora', command.body)
 */
async function embedUploads<Body extends CommandBody>(remoraHome: string, body: Body): Promise<Body> {
  if (body.kind !== 'prompt') return body
  const uploads = join(remoraHome, 'uploads')
  let left = uploadBytes
  const content: typeof body.content = []
  for (const block of body.content) {
    if (!('source' in block) || block.source.type !== 'file' || dirname(block.source.path) !== uploads) {
      content.push(block)
      continue
    }
    const { path, media_type = 'application/octet-stream' } = block.source
    const bytes = await readFile(path).catch((cause: unknown) => {
      throw new RemoraError('input', `Upload ${block.name ?? basename(path)} no longer exists`, {
        hint: 'Attach it again.',
        cause,
      })
    })
    left -= bytes.length
    if (left < 0)
      throw new RemoraError('input', 'The attachments are too large for another machine', {
        hint: `The limit is ${uploadBytes / 1024 / 1024} MB in total.`,
      })
    content.push({ ...block, source: { type: 'base64', media_type, data: bytes.toString('base64') } })
  }
  return { ...body, content }
}

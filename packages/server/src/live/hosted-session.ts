import { setImmediate as immediately, setTimeout as sleep } from 'node:timers/promises'
import type { Ledger } from '@remora/ledger'
import { type Command, type LiveInfo, RemoraError, type StartRequest } from '@remora/protocol'
import type { Approvals } from '../core/approvals.ts'
import type { Log } from '../core/log.ts'
import { type HostHandle, attachHost, startHost } from './acp-driver.ts'
import { closeSession } from './close-session.ts'
import { type LiveRecord, toLiveInfo } from './live-record.ts'
import type { ManagedSession, ManagerCallbacks } from './managed-session.ts'

export interface HostingParts {
  readonly ledger: Ledger
  readonly approvals: Approvals
  readonly log: Log
  readonly remoraHome: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly home: string
  readonly manager: ManagerCallbacks
  readonly record: LiveRecord
}

/** Delay before a failed write is retried. */
const retryMs = 1_000

/** Starts an agent over ACP in its own host process. */
export async function startHosted({
  request,
  ...parts
}: HostingParts & { readonly request: StartRequest }): Promise<ManagedSession> {
  const { remoraHome, env, home, record } = parts
  const handle = await startHost({ remoraHome, live: record.id, request, env, home, cwd: record.cwd })
  return new HostedSession({ ...parts, record: { ...record, session: handle.session } }, handle)
}

/** Attaches to a running host; rejects with the reason if it has ended. */
export async function attachHosted(parts: HostingParts): Promise<ManagedSession> {
  const found = await attachHost({ remoraHome: parts.remoraHome, live: parts.record.id })
  if ('gone' in found) throw new RemoraError('crashed', `The session host ended: ${found.gone.reason}`)
  return new HostedSession({ ...parts, record: { ...parts.record, session: found.session } }, found)
}

/** An agent over ACP. Its host reads commands from the ledger and writes events to it; this class only reports its state. */
class HostedSession implements ManagedSession {
  readonly record: LiveRecord
  readonly #parts: HostingParts
  readonly #handle: HostHandle
  readonly #over = new AbortController()
  /** When the state of a host changed that does not report it itself. */
  #since = Date.now()
  /** Its last state before the end, until the end is settled. */
  #state: LiveInfo['state'] = 'starting'
  #title: string | undefined
  #asks = 0
  #queued = 0
  #ended = false
  #isRefreshing = false
  #refreshed = Promise.resolve()
  /** Open commands in their last known state. */
  readonly #open = new Map<string, Command>()

  constructor(parts: HostingParts, handle: HostHandle) {
    this.#parts = parts
    this.record = parts.record
    this.#handle = handle
    void this.#watch()
    this.stored()
  }

  info(): LiveInfo {
    const { state, detail, mode, permissionModes: modes, model, title } = this.#handle.info
    return toLiveInfo(this.record, {
      // It ends when everything is settled, so that a client can resume the conversation at once.
      state: this.#ended ? 'ended' : state === 'ended' ? this.#state : state,
      since: this.#handle.info.since ?? this.#since,
      asks: this.#asks,
      queued: this.#queued,
      detail,
      title: this.#title ?? title,
      mode,
      ...(modes === undefined || modes.length === 0 ? {} : { modes: [...modes] }),
      model,
    })
  }

  nudge(command?: Command): void {
    // The host may finish the command before the next refresh.
    if (command && !isOver(command)) this.#open.set(getCommandKey(command), command)
    this.#handle.nudge()
    this.stored()
  }

  stored(): void {
    if (this.#isRefreshing || this.#over.signal.aborted) return
    this.#isRefreshing = true
    // In order: an older result must not overwrite a newer one.
    this.#refreshed = this.#refreshed.then(async () => {
      await immediately()
      this.#isRefreshing = false
      await this.#refresh().catch((error: unknown) =>
        this.#parts.log('error', 'Cannot read the ledger', { error: (error as Error).message }),
      )
    })
  }

  async release(): Promise<void> {
    this.#over.abort()
    this.#handle.release()
  }

  async #watch(): Promise<void> {
    this.#state = this.#handle.info.state
    for await (const { state } of this.#handle.changes(this.#over.signal)) {
      if (state !== this.#state) this.#since = Date.now()
      if (state !== 'ended') this.#state = state
      this.stored()
      this.#parts.manager.changed(this)
    }
    while (!this.#over.signal.aborted && !(await this.#settle()))
      await sleep(retryMs, undefined, { signal: this.#over.signal, ref: false }).catch(() => {})
  }

  /** Records the end; false if the ledger cannot be written, as on a full disk. */
  async #settle(): Promise<boolean> {
    const { ledger, approvals, manager, log } = this.#parts
    try {
      const exit = await this.#handle.closed
      // A killed host could not settle anything.
      if (exit?.reason === 'killed')
        for (const command of await closeSession({ ledger, approvals }, this.record)) manager.moved(command)
      await manager.ended(this)
      this.#ended = true
      manager.changed(this)
      return true
    } catch (error) {
      log('error', 'Cannot store the end of a session', { error: (error as Error).message })
      return false
    }
  }

  /** Reports the commands that the host has moved. Returns the number of queued ones. */
  async #refreshCommands(): Promise<number> {
    const { ledger, manager } = this.#parts
    const known = [...this.#open]
    const session = { agent: this.record.agent, session: this.record.session }
    const queued = await ledger.commands.list({ session, state: 'queued' })
    const now = new Map([...queued, ...(await ledger.commands.list({ session, state: 'sent' }))].map(toEntry))
    for (const [name, before] of known) {
      const command = now.get(name) ?? (await ledger.commands.find(before))
      if (!command || isOver(command)) this.#open.delete(name)
      if (command && command.state !== before.state) manager.moved(command)
    }
    for (const [name, command] of now) this.#open.set(name, command)
    return queued.length
  }

  async #refresh(): Promise<void> {
    if (this.#over.signal.aborted) return
    const { ledger, manager } = this.#parts
    const key = { agent: this.record.agent, session: this.record.session }
    const entry = await ledger.session(key)
    const title = entry?.name ?? entry?.title ?? entry?.firstPrompt
    const asks = (await ledger.asks.pending(key)).length
    const queued = await this.#refreshCommands()
    if (title === this.#title && asks === this.#asks && queued === this.#queued) return
    this.#title = title
    this.#asks = asks
    this.#queued = queued
    manager.changed(this)
  }
}

function getCommandKey({ client, id }: Command): string {
  return JSON.stringify([client, id])
}

function toEntry(command: Command): [string, Command] {
  return [getCommandKey(command), command]
}

function isOver({ state }: Command): boolean {
  return state !== 'queued' && state !== 'sent'
}

import type { SessionKey } from '@remora/ledger'
import {
  type Command,
  type CommandBody,
  type LiveFrame,
  type LiveInfo,
  RemoraError,
  type StartRequest,
} from '@remora/protocol'
import { type Agent, agents, detect, findAgent } from '@remora/sdk'
import { type FoundTerminal, type Terminal, attachTerminal, findTerminals } from '@remora/sdk/terminal'
import type { Collection } from '../core/store.ts'
import { bury, refuseRest, withdrawAsks } from './close-session.ts'
import { agentOf } from './start-request.ts'
import { chooseChannel } from './choose-channel.ts'
import type { HeldSession, Holder } from './managed-session.ts'
import { HeldSessions, keyOf } from './managed-sessions.ts'
import { attachHosted, startHosted } from './hosted-session.ts'
import { keepMedia } from '../host/store-media.ts'
import type { Live, LiveChange } from '../core/live.ts'
import type { ManagerParts } from './manager-parts.ts'
import { oneAtATime } from './one-at-a-time.ts'
import { type OpenedTerminal, openTerminal, reopenTerminal, tidyTmux } from './open-terminal.ts'
import type { LiveRecord } from './live-record.ts'
import { createFirstPrompt } from './prompt-text.ts'
import { startPlace } from './start-place.ts'
import { TerminalSession } from './terminal-session.ts'

/** Starts agents, finds them again after a restart, and hands them what surfaces want. */
export class LiveManager implements Live {
  readonly #parts: ManagerParts
  readonly #records: Collection<LiveRecord>
  readonly #held: HeldSessions
  /** Conversations and panes that are being taken hold of this moment. */
  readonly #once = oneAtATime()
  readonly #listeners = new Set<(change: LiveChange) => void>()
  readonly #closed = new AbortController()

  constructor(parts: ManagerParts) {
    this.#parts = parts
    this.#records = parts.store.collection('live')
    this.#held = new HeldSessions(parts.ledger.node === undefined ? undefined : 9, parts.restoreWaitMs)
  }

  /** Lists the sessions of the previous server process. To be called before requests are accepted. */
  async load(): Promise<void> {
    for (const record of (await this.#records.all()).values()) this.#held.restoring.add(record)
  }

  /** Reattaches to the sessions that `load` has listed. */
  async restore(): Promise<void> {
    const { remoraHome, log } = this.#parts
    const tidying = tidyTmux(remoraHome).catch((error: unknown) =>
      log('warn', 'Old tmux clients could not be removed', { error: (error as Error).message }),
    )
    await Promise.all([tidying, ...Array.from(this.#held.restoring, (record) => this.#restore(record))])
  }

  list(): LiveInfo[] {
    return this.#held.list()
  }

  find(word: string): LiveInfo | undefined {
    return this.#held.find(word)
  }

  of({ agent, session }: SessionKey): LiveInfo | undefined {
    const key = { agent, session }
    return this.#held.of(key)?.info() ?? this.#held.restoring.findInfo(key)
  }

  terminal(id: string): Terminal | undefined {
    const held = this.#held.get(id)
    if (!held) this.#held.restoring.check(id)
    return held?.terminal
  }

  frame(id: string): LiveFrame | undefined {
    return this.#held.get(id)?.frame
  }

  on(listener: (change: LiveChange) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  async start(request: StartRequest): Promise<LiveInfo> {
    const agent = agentOf(request)
    const { resume: session, fork } = request
    // A fork leaves the session to whoever goes on with it.
    if (session === undefined || fork) return this.#start(agent, request)
    return this.#once(`${agent.id} ${session}`, async () => {
      await this.restored({ agent: agent.id, session })
      const going =
        this.of({ agent: agent.id, session }) ??
        [...(await this.#records.all()).values()].find(
          (record) => record.agent === agent.id && record.session === session,
        )
      if (!going) return this.#start(agent, request)
      throw new RemoraError('conflict', `That conversation is already running as ${going.id}`, {
        hint: `Send it a prompt: remora send ${going.id}`,
      })
    })
  }

  async adoptable(): Promise<FoundTerminal[]> {
    const found = await findTerminals({ env: this.#parts.env, agents: agents() })
    return found.filter(({ address }) => !this.#held.hasPane(address))
  }

  async adopt(found: FoundTerminal): Promise<LiveInfo> {
    const { agent, address, name, cwd, session } = found
    return this.#once(`${address.socket} ${address.pane}`, async () => {
      await this.#held.restoring.wait(({ terminal }) => terminal?.pane === address.pane)
      if (this.#held.hasPane(address))
        throw new RemoraError('conflict', 'That agent is already managed', { hint: 'See: remora ls' })
      const id = this.#held.newId()
      const { version } = await detect(agent, { env: this.#parts.env, home: this.#parts.home, cwd })
      const terminal = await attachTerminal(agent, { ...address })
      const record: LiveRecord = {
        id,
        agent: agent.id,
        session: session ?? id,
        channel: 'terminal',
        cwd,
        startedAt: found.startedAt ?? Date.now(),
        adopted: true,
        terminal: { ...address, name, version },
      }
      return (await this.#holdTerminal({ record, terminal }, { fresh: true })).info()
    })
  }

  async release(id: string): Promise<void> {
    await this.restored(id)
    const held = this.#held.need(id)
    if (!held.record.adopted)
      throw new RemoraError('usage', 'Only adopted agents can be detached', {
        hint: `End it: remora end ${id}`,
      })
    await held.release()
    this.#held.remove(held)
    await withdrawAsks(this.#parts, held.record)
    await this.#refuseRest(held, 'The session was detached')
    await this.#records.remove(id)
    this.#tell({ type: 'live', live: { ...held.info(), state: 'ended' } })
  }

  async submit(command: Omit<Command, 'state' | 'at'>): Promise<Command> {
    const { ledger, remoraHome } = this.#parts
    const { restoring } = this.#held
    await this.restored(command.target)
    const body = await keepMedia(remoraHome, command.body)
    let held = this.#held.of(command.target)
    const late = held ? undefined : restoring.find(command.target)
    // A prompt waits in the queue until its session is restored. Any other command may be wrong by then.
    if (late && body.kind !== 'prompt') restoring.check(late.id)
    const target = held ? keyOf(held) : late ? keyOf({ record: late }) : command.target
    const stored = await ledger.commands.submit({ ...command, target, body, state: 'queued', at: Date.now() })
    // It may have got another id, or have ended, while this was stored.
    if (held && held.record.session !== target.session) await ledger.commands.rekey(target, keyOf(held))
    if (late) held = this.#held.get(late.id)
    const isLive = held ? this.#held.has(held) : late && restoring.has(late.id)
    if (stored.state === 'queued' && !isLive) {
      const refused = await ledger.commands.move(stored, 'queued', 'refused', 'The session is not running')
      if (refused) this.#tell({ type: 'command', command: refused })
      return refused ?? stored
    }
    this.#tell({ type: 'command', command: stored })
    held?.nudge(stored)
    return stored
  }

  async edit(id: Pick<Command, 'id' | 'client'>, body: CommandBody): Promise<Command> {
    if (body.kind !== 'prompt') throw new RemoraError('usage', 'Only prompts can be edited')
    const edited = await this.#parts.ledger.commands.edit(id, await keepMedia(this.#parts.remoraHome, body))
    return this.#moved(edited, 'Cannot edit: the prompt was already sent or withdrawn')
  }

  async withdraw(id: Pick<Command, 'id' | 'client'>): Promise<Command> {
    const withdrawn = await this.#parts.ledger.commands.move(id, 'queued', 'withdrawn')
    return this.#moved(withdrawn, 'Cannot withdraw: the prompt was already sent')
  }

  /** Lets go of everything; the agents go on. */
  async close(): Promise<void> {
    this.#closed.abort()
    await Promise.all(
      [...this.#held].map((held) =>
        held.release().catch((error: unknown) => this.#trouble('A session was not let go of', held, error)),
      ),
    )
  }

  /** Something was stored, by whomever. */
  stored(): void {
    for (const held of this.#held) held.stored()
  }

  async #start(agent: Agent, request: StartRequest): Promise<LiveInfo> {
    const { ledger, remoraHome } = this.#parts
    const { channel, explain } = await chooseChannel(agent, request)
    const { cwd, worktree, undo } = await startPlace(remoraHome, request)
    const id = this.#held.newId()
    const record: LiveRecord = {
      id,
      agent: agent.id,
      session: (request.fork ? undefined : request.resume) ?? id,
      channel,
      cwd,
      startedAt: Date.now(),
      adopted: false,
      ...(worktree ? { worktree } : {}),
    }
    const target = { agent: agent.id, session: id }
    try {
      // Known before it is there, with what it is to be told: one who comes after us must find both.
      await this.#records.put(id, record)
      if (request.prompt !== undefined) await ledger.commands.submit(createFirstPrompt(id, target, request))
      const held = await this.#begin(agent, record, { ...request, agent: agent.id })
      held.nudge()
      return held.info()
    } catch (error) {
      await refuseRest(ledger, target, (error as Error).message)
      await this.#records.remove(id)
      await undo()
      throw explain(error)
    }
  }

  async #begin(agent: Agent, record: LiveRecord, request: StartRequest): Promise<HeldSession> {
    if (record.channel === 'acp')
      return this.#hold(await startHosted({ ...this.#hosting(), record, request }))
    const keep = (known: LiveRecord) => this.#records.put(known.id, known)
    return this.#holdTerminal(await openTerminal(this.#parts, agent, record, request, keep), { fresh: true })
  }

  #restore(record: LiveRecord): Promise<void> {
    return this.#held.restoring.retry(record, {
      signal: this.#closed.signal,
      attempt: () =>
        this.#attach(record).catch((error: unknown) => {
          if (!isGone(error)) throw error
          return this.#lost(record, error)
        }),
      onError: (error) => this.#trouble('A session cannot be reached', { record }, error),
    })
  }

  async #attach(record: LiveRecord): Promise<void> {
    const agent = findAgent(record.agent)
    if (!agent) throw new RemoraError('not_found', `Agent "${record.agent}" is no longer available`)
    if (record.channel === 'acp') await this.#hold(await attachHosted({ ...this.#hosting(), record }))
    else await this.#holdTerminal(await reopenTerminal(this.#parts, agent, record), { fresh: false })
  }

  async #lost(record: LiveRecord, error: Error): Promise<void> {
    this.#parts.log('warn', 'A session ended while no server ran', { live: record.id, error: error.message })
    for (const command of await bury(this.#parts, record)) this.#tell({ type: 'command', command })
    await this.#records.remove(record.id)
    this.#tell({ type: 'live', live: this.#held.dropRestoring(record, error.message) })
  }

  async #holdTerminal(opened: OpenedTerminal, how: { readonly fresh: boolean }): Promise<HeldSession> {
    const { ledger, approvals, log, remoraHome } = this.#parts
    const hooks = opened.record.hooked ? this.#parts.hooks : undefined
    const rest = { ledger, approvals, log, remoraHome, holder: this.#holder, hooks }
    const held = new TerminalSession({ ...rest, ...opened })
    try {
      await this.#hold(held)
      await held.begin(how)
      return held
    } catch (error) {
      this.#held.remove(held)
      await held.release().catch(() => {})
      // Nobody would know of it.
      if (how.fresh && !held.record.adopted) await opened.terminal.end().catch(() => {})
      throw error
    }
  }

  readonly #holder: Holder = {
    keep: (record) => this.#records.put(record.id, record),
    changed: (session) => this.#tell({ type: 'live', live: session.info() }),
    frame: (frame) => this.#tell({ type: 'frame', frame }),
    moved: (command) => this.#tell({ type: 'command', command }),
    ended: async (session) => {
      this.#held.part(session)
      // What was stored before nobody found it any more.
      await this.#refuseRest(session)
      await this.#records.remove(session.record.id)
      this.#held.linger(session.info())
    },
    taken: (except) => this.#held.taken(except),
  }

  async #hold<Held extends HeldSession>(held: Held): Promise<Held> {
    this.#held.add(held)
    await this.#records.put(held.record.id, held.record)
    this.#tell({ type: 'live', live: held.info() })
    return held
  }

  async #refuseRest(held: HeldSession, why?: string): Promise<void> {
    for (const command of await refuseRest(this.#parts.ledger, keyOf(held), why))
      this.#tell({ type: 'command', command })
  }

  async restored(name?: string | SessionKey): Promise<void> {
    const { restoring } = this.#held
    if (name === undefined) return restoring.wait()
    const id = restoring.find(name)?.id
    if (id !== undefined) await restoring.wait((record) => record.id === id)
  }

  #hosting() {
    const { ledger, approvals, log, remoraHome, env, home } = this.#parts
    return { ledger, approvals, log, remoraHome, env, home, holder: this.#holder }
  }

  #moved(command: Command | undefined, why: string): Command {
    if (!command) throw new RemoraError('conflict', why)
    this.#tell({ type: 'command', command })
    this.#held.of(command.target)?.nudge()
    return command
  }

  #tell(change: LiveChange): void {
    for (const listener of this.#listeners)
      try {
        listener(change)
      } catch (error) {
        this.#parts.log('error', 'Somebody could not be told of a session', { error: String(error) })
      }
  }

  #trouble(message: string, { record }: Pick<HeldSession, 'record'>, error: unknown): void {
    this.#parts.log('warn', message, { live: record.id, error: (error as Error).message })
  }
}

/** Seen to be gone: its pane, or its host. */
function isGone(error: unknown): error is RemoraError {
  return RemoraError.is(error) && ['not_found', 'crashed'].includes(error.code)
}

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
import {
  type DriverName,
  type FoundTerminal,
  type Terminal,
  attachTerminal,
  findTerminals,
} from '@remora/sdk/terminal'
import { refreshAgents } from '../core/added-agents.ts'
import type { Live, LiveChange } from '../core/live.ts'
import type { Collection } from '../core/store.ts'
import { storeMedia } from '../host/store-media.ts'
import { chooseChannel } from './choose-channel.ts'
import { closeSession, refuseOpenCommands, withdrawAsks } from './close-session.ts'
import { findSupport, toShownAgent } from './find-support.ts'
import { attachHosted, startHosted } from './hosted-session.ts'
import type { LiveRecord } from './live-record.ts'
import type { ManagedSession, ManagerCallbacks, ManagerParts } from './managed-session.ts'
import { ManagedSessions, getKey } from './managed-sessions.ts'
import { type OpenedTerminal, openTerminal, reopenTerminal, tidyTmux } from './open-terminal.ts'
import { getAgent, prepareFolder } from './start-request.ts'
import { TerminalSession } from './terminal-session.ts'

/** Starts agents, restores them after a restart, and passes commands of clients to them. */
export class LiveManager implements Live {
  readonly #parts: ManagerParts
  readonly #records: Collection<LiveRecord>
  readonly #sessions: ManagedSessions
  /** Conversations and panes that are being opened. */
  readonly #exclusive = createExclusive()
  readonly #listeners = new Set<(change: LiveChange) => void>()
  readonly #closed = new AbortController()

  constructor(parts: ManagerParts) {
    this.#parts = parts
    this.#records = parts.store.collection('live')
    this.#sessions = new ManagedSessions(parts.ledger.node === undefined ? undefined : 9, parts.restoreWaitMs)
  }

  /** Lists the sessions of the previous server process. To be called before requests are accepted. */
  async load(): Promise<void> {
    for (const record of (await this.#records.all()).values()) this.#sessions.restoring.add(record)
  }

  /** Reattaches to the sessions that `load` has listed. */
  async restore(): Promise<void> {
    const { remoraHome, log } = this.#parts
    const tidying = tidyTmux(remoraHome).catch((error: unknown) =>
      log('warn', 'Cannot remove old tmux clients', { error: (error as Error).message }),
    )
    await Promise.all([tidying, ...Array.from(this.#sessions.restoring, (record) => this.#restore(record))])
  }

  list(): LiveInfo[] {
    return this.#sessions.list()
  }

  find(word: string): LiveInfo | undefined {
    return this.#sessions.find(word)
  }

  of({ agent, session }: SessionKey): LiveInfo | undefined {
    const key = { agent, session }
    return this.#sessions.of(key)?.info() ?? this.#sessions.restoring.findInfo(key)
  }

  terminal(id: string): Terminal | undefined {
    const session = this.#sessions.get(id)
    if (!session) this.#sessions.restoring.check(id)
    return session?.terminal
  }

  frame(id: string): LiveFrame | undefined {
    return this.#sessions.get(id)?.frame
  }

  on(listener: (change: LiveChange) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  async start(request: StartRequest): Promise<LiveInfo> {
    await refreshAgents(this.#parts)
    const agent = getAgent(request)
    const { resume: session, fork } = request
    // A fork does not use the session itself.
    if (session === undefined || fork) return this.#start(agent, request)
    return this.#exclusive(`${agent.id} ${session}`, async () => {
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
    return found.filter(({ address }) => !this.#sessions.hasPane(address))
  }

  async adopt(found: FoundTerminal): Promise<LiveInfo> {
    const { agent, address, name, cwd, session } = found
    return this.#exclusive(`${address.socket} ${address.pane}`, async () => {
      await this.#sessions.restoring.wait(({ terminal }) => terminal?.pane === address.pane)
      if (this.#sessions.hasPane(address))
        throw new RemoraError('conflict', 'That agent is already managed', { hint: 'See: remora ls' })
      const id = this.#sessions.createId()
      const { version } = await detect(agent, { env: this.#parts.env, home: this.#parts.home, cwd })
      const support = await findSupport(agent, { channel: 'terminal', cwd }, this.#parts)
      const known = support ? { support } : {}
      const terminal = await attachTerminal(toShownAgent(agent, known), { ...address })
      const record: LiveRecord = {
        id,
        agent: agent.id,
        session: session ?? id,
        channel: 'terminal',
        cwd,
        startedAt: found.startedAt ?? Date.now(),
        adopted: true,
        terminal: { ...address, name, version },
        ...known,
      }
      return (await this.#manageTerminal({ record, terminal }, { fresh: true })).info()
    })
  }

  async release(id: string): Promise<void> {
    await this.restored(id)
    const session = this.#sessions.require(id)
    if (!session.record.adopted)
      throw new RemoraError('usage', 'Only adopted agents can be detached', {
        hint: `End it: remora end ${id}`,
      })
    await session.release()
    this.#sessions.remove(session)
    await withdrawAsks(this.#parts, session.record)
    await this.#refuseOpenCommands(session, 'The session was detached')
    await this.#records.remove(id)
    this.#emit({ type: 'live', live: { ...session.info(), state: 'ended' } })
  }

  async submit(command: Omit<Command, 'state' | 'at'>): Promise<Command> {
    const { ledger, remoraHome } = this.#parts
    const { restoring } = this.#sessions
    await this.restored(command.target)
    const body = await storeMedia(remoraHome, command.body)
    let session = this.#sessions.of(command.target)
    const late = session ? undefined : restoring.find(command.target)
    // A prompt waits in the queue until its session is restored. Any other command may be wrong by then.
    if (late && body.kind !== 'prompt') restoring.check(late.id)
    const target = session ? getKey(session) : late ? getKey({ record: late }) : command.target
    const stored = await ledger.commands.submit({ ...command, target, body, state: 'queued', at: Date.now() })
    // It may have got another id, or have ended, while this was stored.
    if (session && session.record.session !== target.session)
      await ledger.commands.rekey(target, getKey(session))
    if (late) session = this.#sessions.get(late.id)
    const isLive = session ? this.#sessions.has(session) : late && restoring.has(late.id)
    if (stored.state === 'queued' && !isLive) {
      const refused = await ledger.commands.move(stored, 'queued', 'refused', 'The session is not running')
      if (refused) this.#emit({ type: 'command', command: refused })
      return refused ?? stored
    }
    this.#emit({ type: 'command', command: stored })
    session?.nudge(stored)
    return stored
  }

  async edit(id: Pick<Command, 'id' | 'client'>, body: CommandBody): Promise<Command> {
    if (body.kind !== 'prompt') throw new RemoraError('usage', 'Only prompts can be edited')
    const edited = await this.#parts.ledger.commands.edit(id, await storeMedia(this.#parts.remoraHome, body))
    return this.#moved(edited, 'Cannot edit: the prompt was already sent or withdrawn')
  }

  async withdraw(id: Pick<Command, 'id' | 'client'>): Promise<Command> {
    const withdrawn = await this.#parts.ledger.commands.move(id, 'queued', 'withdrawn')
    return this.#moved(withdrawn, 'Cannot withdraw: the prompt was already sent')
  }

  /** Detaches from all agents, which keep running. */
  async close(): Promise<void> {
    this.#closed.abort()
    await Promise.all(
      [...this.#sessions].map((session) =>
        session
          .release()
          .catch((error: unknown) => this.#logFailure('Cannot detach from a session', session, error)),
      ),
    )
  }

  /** Call when the ledger has changed. */
  stored(): void {
    for (const session of this.#sessions) session.stored()
  }

  async #start(agent: Agent, request: StartRequest): Promise<LiveInfo> {
    const { ledger, remoraHome } = this.#parts
    const preferred = await this.#parts.terminalDriver?.()
    const { channel, driver, explain } = await chooseChannel(agent, request, preferred)
    const support = await findSupport(agent, { channel, cwd: request.cwd }, this.#parts)
    const { cwd, worktree, undo } = await prepareFolder(remoraHome, request)
    const id = this.#sessions.createId()
    const record: LiveRecord = {
      id,
      agent: agent.id,
      session: (request.fork ? undefined : request.resume) ?? id,
      channel,
      cwd,
      startedAt: Date.now(),
      adopted: false,
      ...(worktree ? { worktree } : {}),
      ...(support ? { support } : {}),
    }
    const target = { agent: agent.id, session: id }
    try {
      // Stored before the agent starts, so that the next server process finds the session and its prompt.
      await this.#records.put(id, record)
      if (request.prompt !== undefined) await ledger.commands.submit(createFirstPrompt(id, target, request))
      const session = await this.#open(agent, record, { ...request, agent: agent.id }, driver)
      session.nudge()
      return session.info()
    } catch (error) {
      await refuseOpenCommands(ledger, target, (error as Error).message)
      await this.#records.remove(id)
      await undo()
      throw explain(error)
    }
  }

  async #open(
    agent: Agent,
    record: LiveRecord,
    request: StartRequest,
    driver: DriverName,
  ): Promise<ManagedSession> {
    if (record.channel === 'acp')
      return this.#manage(await startHosted({ ...this.#hosting(), record, request }))
    const keep = (known: LiveRecord) => this.#records.put(known.id, known)
    return this.#manageTerminal(await openTerminal(this.#parts, agent, record, request, keep, driver), {
      fresh: true,
    })
  }

  #restore(record: LiveRecord): Promise<void> {
    return this.#sessions.restoring.retry(record, {
      signal: this.#closed.signal,
      attempt: () =>
        this.#attach(record).catch((error: unknown) => {
          if (!isGone(error)) throw error
          return this.#closeLost(record, error)
        }),
      onError: (error) => this.#logFailure('Cannot reach a session', { record }, error),
    })
  }

  async #attach(record: LiveRecord): Promise<void> {
    const agent = findAgent(record.agent)
    if (!agent) throw new RemoraError('not_found', `Agent "${record.agent}" is no longer available`)
    if (record.channel === 'acp') await this.#manage(await attachHosted({ ...this.#hosting(), record }))
    else await this.#manageTerminal(await reopenTerminal(this.#parts, agent, record), { fresh: false })
  }

  async #closeLost(record: LiveRecord, error: Error): Promise<void> {
    this.#parts.log('warn', 'A session ended while no server was running', {
      live: record.id,
      error: error.message,
    })
    for (const command of await closeSession(this.#parts, record)) this.#emit({ type: 'command', command })
    await this.#records.remove(record.id)
    const entry = await this.#parts.ledger.session({ agent: record.agent, session: record.session })
    const title = entry?.name ?? entry?.title ?? entry?.firstPrompt
    const known = { detail: error.message, ...(title === undefined ? {} : { title }) }
    this.#emit({ type: 'live', live: this.#sessions.dropRestoring(record, known) })
  }

  async #manageTerminal(opened: OpenedTerminal, how: { readonly fresh: boolean }): Promise<ManagedSession> {
    const { ledger, approvals, log, remoraHome } = this.#parts
    const hooks = opened.record.hooked ? this.#parts.hooks : undefined
    const rest = { ledger, approvals, log, remoraHome, manager: this.#callbacks, hooks }
    const session = new TerminalSession({ ...rest, ...opened })
    try {
      await this.#manage(session)
      await session.begin(how)
      return session
    } catch (error) {
      this.#sessions.remove(session)
      await session.release().catch(() => {})
      // No record of the agent remains, so it must not stay.
      if (how.fresh && !session.record.adopted) await opened.terminal.end().catch(() => {})
      throw error
    }
  }

  readonly #callbacks: ManagerCallbacks = {
    keep: (record) => this.#records.put(record.id, record),
    changed: (session) => this.#emit({ type: 'live', live: session.info() }),
    frame: (frame) => this.#emit({ type: 'frame', frame }),
    moved: (command) => this.#emit({ type: 'command', command }),
    ended: async (session) => {
      this.#sessions.beginEnd(session)
      // Commands that were stored before the session was removed from lookups.
      await this.#refuseOpenCommands(session)
      await this.#records.remove(session.record.id)
      this.#sessions.listAsEnded(session.info())
    },
    taken: (except) => this.#sessions.taken(except),
  }

  async #manage<Held extends ManagedSession>(session: Held): Promise<Held> {
    this.#sessions.add(session)
    await this.#records.put(session.record.id, session.record)
    this.#emit({ type: 'live', live: session.info() })
    return session
  }

  async #refuseOpenCommands(session: ManagedSession, why?: string): Promise<void> {
    for (const command of await refuseOpenCommands(this.#parts.ledger, getKey(session), why))
      this.#emit({ type: 'command', command })
  }

  async restored(name?: string | SessionKey): Promise<void> {
    const { restoring } = this.#sessions
    if (name === undefined) return restoring.wait()
    const id = restoring.find(name)?.id
    if (id !== undefined) await restoring.wait((record) => record.id === id)
  }

  #hosting() {
    const { ledger, approvals, log, remoraHome, env, home } = this.#parts
    return { ledger, approvals, log, remoraHome, env, home, manager: this.#callbacks }
  }

  #moved(command: Command | undefined, why: string): Command {
    if (!command) throw new RemoraError('conflict', why)
    this.#emit({ type: 'command', command })
    this.#sessions.of(command.target)?.nudge()
    return command
  }

  #emit(change: LiveChange): void {
    for (const listener of this.#listeners)
      try {
        listener(change)
      } catch (error) {
        this.#parts.log('error', 'A listener of session changes failed', { error: String(error) })
      }
  }

  #logFailure(message: string, { record }: Pick<ManagedSession, 'record'>, error: unknown): void {
    this.#parts.log('warn', message, { live: record.id, error: (error as Error).message })
  }
}

/** Whether the pane or the host no longer exists. */
function isGone(error: unknown): error is RemoraError {
  return RemoraError.is(error) && ['not_found', 'crashed'].includes(error.code)
}

/** Rejects work whose name is in use: a second client would find a half-opened session. */
function createExclusive(): <T>(name: string, work: () => Promise<T>) => Promise<T> {
  const running = new Set<string>()
  return async (name, work) => {
    if (running.has(name))
      throw new RemoraError('conflict', 'Another client is opening this session', {
        hint: 'See: remora ls',
      })
    running.add(name)
    try {
      return await work()
    } finally {
      running.delete(name)
    }
  }
}

/** The prompt that a session is started with, as its first command. */
function createFirstPrompt(
  client: string,
  target: SessionKey,
  { prompt = '', promptKind }: StartRequest,
): Command {
  const body = { kind: 'prompt' as const, content: [{ type: 'text' as const, text: prompt }], promptKind }
  return { id: 'first', client, target, body, state: 'queued', at: Date.now() }
}

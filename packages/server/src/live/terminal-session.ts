import { setTimeout as sleep } from 'node:timers/promises'
import type { Ledger } from '@remora/ledger'
import type { Command, LiveFrame, LiveInfo } from '@remora/protocol'
import type { ProtectedResume } from '@remora/sdk'
import { type Terminal, type TerminalNow, ptyPane } from '@remora/sdk/terminal'
import type { WaitingHooks } from '../approvals/waiting-hooks.ts'
import type { Approvals } from '../core/approvals.ts'
import type { Log } from '../core/log.ts'
import { storeMedia } from '../host/store-media.ts'
import { refuseOpenCommands } from './close-session.ts'
import { findSession } from './find-session.ts'
import { InterruptedTurns, TurnText } from './interrupted-turns.ts'
import { type LiveRecord, toLiveInfo } from './live-record.ts'
import type { ManagedSession, ManagerCallbacks } from './managed-session.ts'
import { TerminalAsks } from './terminal-asks.ts'
import { TerminalEvents } from './terminal-events.ts'
import { TerminalQueue } from './terminal-queue.ts'

export interface TerminalSessionParts {
  readonly ledger: Ledger
  readonly approvals: Approvals
  readonly log: Log
  readonly remoraHome: string
  readonly manager: ManagerCallbacks
  readonly record: LiveRecord
  readonly terminal: Terminal
  /** Waiting hooks, if the agent was started with one. */
  readonly hooks?: WaitingHooks | undefined
  /** Restores a resumed session when the agent has ended. */
  readonly protection?: ProtectedResume | undefined
}

/** How many sent prompts are kept to identify the conversation. */
const remembered = 20
/** Shortest interval between reads of title and id. */
const refreshMs = 300
/** Delay before a failed write is retried. */
const retryMs = 1_000
/** How long the end of a session waits for tmux after its program has exited. */
const cleanupMs = 500

const statuses = {
  starting: 'starting',
  idle: 'idle',
  working: 'working',
  asking: 'waiting',
  error: 'idle',
} as const

/** An agent on a terminal: stores what its screen shows, and types the commands of clients. */
export class TerminalSession implements ManagedSession {
  readonly record: LiveRecord
  readonly terminal: Terminal
  frame: LiveFrame | undefined
  readonly #parts: TerminalSessionParts
  readonly #over = new AbortController()
  readonly #events: TerminalEvents
  readonly #asks: TerminalAsks
  readonly #queue: TerminalQueue
  readonly #interrupted: InterruptedTurns
  readonly #text = new TurnText()
  readonly #sent: string[] = []
  readonly #watchedSince = Date.now()
  #queued = 0
  #title: string | undefined
  #isRefreshing = false
  #released = false
  #isEndRecorded = false
  /** Why it ended: the output of an agent that crashed during its start, or the loss of its terminal. */
  #problem: string | undefined
  #isChecked = false
  #ending: Promise<void> | undefined
  #settled = false
  #state: LiveInfo['state'] = 'starting'
  #watching: Promise<void> = Promise.resolve()

  constructor(parts: TerminalSessionParts) {
    this.#parts = parts
    this.record = parts.record
    this.terminal = parts.terminal
    const { ledger, approvals, record, terminal } = parts
    this.#events = new TerminalEvents(ledger, record)
    this.#asks = new TerminalAsks(ledger, approvals, { record, terminal, signal: this.#over.signal })
    if (parts.hooks) this.#useHooks(parts.hooks)
    this.#asks.carried = () => {
      this.#queue.nudge()
      parts.manager.changed(this)
    }
    this.#interrupted = new InterruptedTurns(ledger, record, this.#events)
    this.#queue = new TerminalQueue(
      ledger,
      terminal,
      {
        key: () => ({ agent: record.agent, session: record.session }),
        // After an error the agent takes a prompt at its input line.
        ready: () => ['idle', 'error'].includes(terminal.now.state) && !this.#asks.open,
        media: (body) => storeMedia(parts.remoraHome, body),
        sent: (text) => this.#remember(text),
        moved: (command) => {
          parts.manager.moved(command)
          this.stored()
        },
        unseen: () =>
          void this.#recordRest().catch((error: unknown) =>
            this.#logFailure('Cannot store the state of a terminal', error),
          ),
        end: () => this.#end(),
        onError: (error) => this.#logFailure('Cannot run a command', error),
      },
      this.#over.signal,
    )
  }

  #useHooks(hooks: WaitingHooks): void {
    const { id } = this.record
    this.#asks.hook = { soon: (shown) => hooks.soon(id, shown), now: (shown) => hooks.reply(id, shown) }
    // A hook may arrive after its dialog was opened without it.
    const off = hooks.on((live) => {
      if (live === id && this.#asks.open) void this.#asks.see().catch(() => {})
    })
    this.#over.signal.addEventListener('abort', off, { once: true })
  }

  /** Starts watching the terminal. @example await session.begin({ fresh: true }) */
  async begin({ fresh }: { readonly fresh: boolean }): Promise<void> {
    const { id, agent, session, cwd, terminal } = this.record
    if (fresh)
      await this.#events.append({
        type: 'session',
        cwd,
        ...(terminal?.version === undefined ? {} : { version: terminal.version }),
      })
    // Commands that were submitted before the agent's own id was known.
    await this.#parts.ledger.commands.rekey({ agent, session: id }, { agent, session })
    await this.#asks.begin(this.terminal.now)
    await this.#queue.recover()
    this.#watching = this.#watch()
    this.stored()
  }

  info(): LiveInfo {
    const { state: shown, subject, error, mode, model } = this.terminal.now
    // The agent hangs at its start. The queue still treats it as starting, because it has no input line.
    const state = shown === 'starting' && error !== undefined ? 'error' : shown
    return toLiveInfo(this.record, {
      // It ends when everything is settled, so that a client can resume the conversation at once.
      state: this.#settled ? 'ended' : state === 'exited' ? this.#state : state,
      since: this.record.told?.since ?? this.#watchedSince,
      asks: this.#asks.open ? 1 : 0,
      queued: this.#queued,
      detail: this.#problem ?? error ?? subject,
      title: this.#title,
      // A dialog hides both, so the last known values remain.
      mode: mode ?? this.record.told?.mode ?? this.record.starts,
      model: model ?? this.record.told?.model,
    })
  }

  nudge(command?: Command): void {
    if (command?.body.kind === 'end') this.#queue.end()
    this.#queue.nudge()
    this.stored()
  }

  stored(): void {
    if (this.#isRefreshing || this.#over.signal.aborted) return
    this.#isRefreshing = true
    void sleep(refreshMs, undefined, { ref: false })
      .then(() => {
        this.#isRefreshing = false
        return this.#refresh()
      })
      .catch((error: unknown) => this.#logFailure('Cannot read the ledger', error))
  }

  async release(): Promise<void> {
    this.#released = true
    this.#over.abort()
    await this.#queue.detach()
    await this.#watching
    await this.terminal.detach()
  }

  /** Watches until the agent has ended or the session is detached. Failed writes are retried. */
  async #watch(): Promise<void> {
    for await (const now of this.terminal.watch(this.#over.signal)) {
      await this.#retry('Cannot store the state of a terminal', () => this.#see(now))
      if (now.state === 'exited') break
    }
    if (this.#over.signal.aborted) return
    this.#over.abort()
    await this.#retry('Cannot store the end of a session', () => this.#exited())
  }

  /** Retries while the ledger cannot be written, as on a full disk. */
  async #retry(what: string, work: () => Promise<void>): Promise<void> {
    for (;;) {
      try {
        return await work()
      } catch (error) {
        this.#logFailure(what, error)
        if (this.#released) return
        await sleep(retryMs, undefined, { ref: false })
      }
    }
  }

  async #see(now: TerminalNow): Promise<void> {
    await this.#asks.see()
    await this.#recordState(now)
    const text = this.#text.read(now)
    this.#show(now, text)
    await this.#interrupted.see(now, text)
    await this.#queue.see(now.state)
    this.#queue.nudge()
    this.#parts.manager.changed(this)
  }

  /** Stores each state once, also across server restarts. */
  async #recordState({ state, subject, error, mode, model }: TerminalNow): Promise<void> {
    if (state === 'exited') return
    this.#state = state
    const before = this.record.told ?? {}
    const next = {
      state,
      since: state === before.state ? (before.since ?? this.#watchedSince) : Date.now(),
      mode: mode ?? before.mode ?? this.record.starts,
      model: model ?? before.model,
    }
    if (next.state === before.state && next.mode === before.mode && next.model === before.model) return
    const status = statuses[state]
    await this.#events.append(
      ...(next.state === before.state
        ? []
        : [{ type: 'status' as const, status, ...(subject === undefined ? {} : { detail: subject }) }]),
      ...(state === 'error' && before.state !== 'error' && error !== undefined
        ? [{ type: 'error' as const, code: 'unknown' as const, message: error, severity: 'error' as const }]
        : []),
      ...(next.mode === before.mode
        ? []
        : [{ type: 'status' as const, status: 'mode' as const, value: next.mode }]),
      ...(next.model === before.model
        ? []
        : [{ type: 'status' as const, status: 'model' as const, value: next.model }]),
    )
    this.record.told = next
    await this.#keepRecord()
  }

  /** The agent rests again after a turn that the screen did not show. */
  async #recordRest(): Promise<void> {
    this.record.told = { ...this.record.told, since: Date.now() }
    this.#parts.manager.changed(this)
    await this.#keepRecord()
  }

  /** The record of an ended session is removed and must not come back: a late timer or refresh may end after it. */
  async #keepRecord(): Promise<void> {
    if (!this.#isEndRecorded) await this.#parts.manager.keep(this.record)
  }

  #show({ state, subject }: TerminalNow, text: string | undefined): void {
    const frame: LiveFrame = {
      live: this.record.id,
      ...(state === 'working' && text !== undefined ? { text } : {}),
      ...(state === 'working' && subject !== undefined ? { subject } : {}),
    }
    if (frame.text === this.frame?.text && frame.subject === this.frame?.subject) return
    this.frame = frame
    this.#parts.manager.frame(frame)
  }

  #remember(text: string): void {
    this.#interrupted.prompted(text)
    this.#sent.push(text)
    if (this.#sent.length > remembered) this.#sent.shift()
  }

  /** Reads the conversation, its title and the number of queued commands. */
  async #refresh(): Promise<void> {
    if (this.#over.signal.aborted) return
    const { ledger, manager } = this.#parts
    const { record } = this
    const found = await findSession(ledger, record, {
      lines: this.terminal.screen().lines,
      sent: this.#sent,
      taken: manager.taken(record),
    })
    if (found !== undefined && found !== record.session) {
      const before = { agent: record.agent, session: record.session }
      record.session = found
      await ledger.commands.rekey(before, { agent: record.agent, session: found })
      await this.#keepRecord()
    }
    const key = { agent: record.agent, session: record.session }
    // Another machine may still use the live id.
    if (ledger.node !== undefined && key.session !== record.id) {
      const early = { agent: record.agent, session: record.id }
      if ((await ledger.commands.list({ session: early, state: 'queued' })).length > 0)
        await ledger.commands.rekey(early, key)
    }
    const entry = await ledger.session(key)
    const title = entry?.name ?? entry?.title ?? entry?.firstPrompt
    const waiting = await ledger.commands.list({ session: key, state: 'queued' })
    const queued = waiting.length
    // Another process may have submitted it.
    if (waiting.some(({ body }) => body.kind === 'end')) this.#queue.end()
    if (queued > 0) this.#queue.nudge()
    // A new tool result may show that an open request is over.
    if (this.#asks.open) await this.#asks.see()
    if (found === undefined && title === this.#title && queued === this.#queued) return
    this.#title = title
    this.#queued = queued
    manager.changed(this)
  }

  /** May be retried: each step runs once. */
  async #exited(): Promise<void> {
    const { ledger, manager, hooks } = this.#parts
    // Waits for the command that ended it.
    await this.#queue.idle
    if (!this.#isEndRecorded) await this.#recordEnd(this.terminal.now)
    this.#isEndRecorded = true
    await this.#asks.begin({ state: 'exited' })
    const { agent, session, id, adopted } = this.record
    for (const command of await refuseOpenCommands(ledger, { agent, session })) manager.moved(command)
    if (!this.#isChecked) await this.#checkResumed(id)
    this.#isChecked = true
    hooks?.release(id)
    // In our own tmux server a pane stays after its program, so that the exit code can be read.
    const stays = !adopted && this.terminal.now.state === 'exited'
    await (stays ? this.#end() : this.terminal.detach()).catch((error: unknown) =>
      this.#logFailure('Cannot close the terminal', error),
    )
    await manager.ended(this)
    this.#settled = true
    manager.changed(this)
  }

  /** Ends the agent. tmux may remove the pane later: that does not keep an ended session alive. */
  async #end(): Promise<void> {
    this.#ending ??= this.terminal.end().catch((error: unknown) => {
      this.#logFailure('Cannot remove the terminal of an ended agent', error)
      if (this.terminal.now.state !== 'exited') throw error
    })
    const exited = async (): Promise<void> => {
      for await (const { state } of this.terminal.watch(new AbortController().signal))
        if (state === 'exited') break
      await sleep(cleanupMs, undefined, { ref: false })
    }
    await Promise.race([this.#ending, exited()])
  }

  async #checkResumed(live: string): Promise<void> {
    const { log, protection } = this.#parts
    try {
      const problems = (await protection?.finish()) ?? []
      for (const { message, hint } of problems) log('warn', message, { live, hint })
    } catch (error) {
      this.#logFailure('Cannot compare the resumed session with its copy', error)
    }
  }

  async #recordEnd({ exit }: TerminalNow): Promise<void> {
    const loss = this.terminal.address.pane === ptyPane ? 'Terminal host was killed' : 'tmux has ended'
    const code = exit?.code === undefined ? undefined : `exit ${exit.code}`
    const detail = exit?.lost ? loss : (exit?.signal ?? code)
    // tmux on a busy machine may not report the exit code.
    const isCrash = this.#state === 'starting' && !this.#ending && exit?.code !== 0 && !exit?.signal
    // An agent that could not start says why on its screen, and nowhere else.
    const output = isCrash && !exit?.lost ? getLastLines(this.terminal.screen().lines) : ''
    this.#problem = exit?.lost ? loss : output === '' ? undefined : output
    // A user who ends their own tmux knows.
    const isNews = exit?.lost && !this.record.adopted
    const message = isNews ? `${loss}, and ${this.terminal.agent.title} with it` : output
    await this.#events.append(
      ...(message === ''
        ? []
        : [{ type: 'error' as const, code: 'crashed' as const, message, severity: 'error' as const }]),
      { type: 'status', status: 'ended', ...(detail === undefined ? {} : { detail }) },
    )
  }

  #logFailure(message: string, error: unknown): void {
    this.#parts.log('error', message, { live: this.record.id, error: (error as Error).message })
  }
}

/** The last lines of a screen, without the line that tmux adds for an ended program. */
function getLastLines(lines: readonly string[]): string {
  const written = lines.filter((line) => line.trim() !== '' && !line.startsWith('Pane is dead'))
  return written.slice(-8).join('\n').slice(0, 2_000)
}

import {
  type Event,
  type EventOf,
  type ModeInfo,
  type Usage,
  addUsage,
  RemoraError,
} from '@remora/protocol/plain'
import { randomUUID } from 'node:crypto'
import { type Place, type Problem, toModeInfo } from '../../contract/agent.ts'
import type { AgentRecord } from '../../events/read-record.ts'
import { BatchedRun, type Run } from '../../runs/run.ts'
import { Stop } from '../../runs/stop.ts'
import { isReply } from './agent-process.ts'
import { type Choices, checkChoice, choiceRequest } from './choices.ts'
import type { ClientRequests } from './client-requests.ts'
import { chooseStartMode } from './guard-mode.ts'
import type { Link } from './link.ts'
import type { Budget, PromptContent, PromptOptions } from './options.ts'
import { isAllow } from './permissions/rules.ts'
import { toWarningFields } from './problem-fields.ts'
import { PromptRun } from './prompt-run.ts'
import type { Session } from './session.ts'
import type { ToolServer } from './tools/tool-server.ts'
import { waitAtMost } from '../../runs/waiter.ts'
import { Turn } from './turn.ts'

/** The options of an open session. */
export interface Opened {
  readonly id: string
  readonly place: Place
  readonly mode: Choices
  readonly model: Choices
  readonly requests: ClientRequests
  readonly tools: ToolServer | undefined
  /** Whether the caller provides tools. */
  readonly hostTools: boolean
  /** Whether the model has a tool to answer with data. */
  readonly outputTool: boolean
  /** Why the model has no such tool. */
  readonly obstacle: Problem | undefined
  readonly budget: Budget | undefined
  /** The mode in which the session was opened. */
  readonly startMode: string | undefined
  /** Sets mode and model, also after a restart of the agent. */
  readonly mcpServers: readonly AgentRecord[]
}

/** How long an agent may take to end a cancelled turn before it is killed. Gemini needed more than three seconds at load 50. */
const cancelMs = 10_000
/** How long an agent may take to list the offered tools. */
const listMs = 2_000
/** The number of unread events at which reading from the agent pauses. */
const unreadLimit = 2_000

/** The internal state of a session. */
export class LiveSession implements Session {
  readonly id: string
  readonly cwd: string
  readonly opened: Opened
  readonly #link: Link
  /** The prompt queue; the first one is running. */
  readonly #queue: { readonly stop: Stop; go(): void }[] = []
  #turn: Turn | undefined
  /** The agent's id of the mode that the caller set or that the session had when it was opened. */
  #allowedMode: string | undefined
  #guarded = false
  #listed: Promise<boolean> | undefined
  #spent: Usage = {}
  #closing: Promise<void> | undefined
  /** Why the agent has lost the session. */
  #lost: Error | undefined
  /** The time of the agent's last message in this session. */
  lastUpdateAt = Date.now()
  /** Its `session` event. */
  sessionEvent: EventOf<'session'> | undefined

  constructor(link: Link, opened: Opened) {
    this.id = opened.id
    this.cwd = opened.place.cwd
    this.#link = link
    this.opened = opened
  }

  get modes(): Readonly<Choices> {
    return this.opened.mode
  }

  get permissionModes(): readonly ModeInfo[] {
    return this.#link.modes(this.opened.mode).list.map(toModeInfo)
  }

  get models(): Readonly<Choices> {
    return this.opened.model
  }

  get usage(): Usage {
    return this.#spent
  }

  get waiting(): number {
    return this.#queue.length
  }

  prompt(content: PromptContent, options: PromptOptions = {}): Run<never> {
    return this.#start(content, options, false)
  }

  sendNow(content: PromptContent, options: PromptOptions = {}): Run<never> {
    const [before] = this.#queue
    const run = this.#start(content, options, true)
    void before?.stop.now(new RemoraError('aborted', 'Another prompt broke in'))
    return run
  }

  async cancel(): Promise<void> {
    await this.#queue[0]?.stop.now(new RemoraError('aborted', 'The turn was cancelled'))
  }

  get mode(): string | undefined {
    const { mode, requests } = this.opened
    const { current } = mode
    if (current === undefined) return undefined
    // An agent may have one id for its asking mode and for plan mode, which is then enforced here.
    const modes = this.#link.modes(mode)
    if (requests.planning && current === modes.toId('plan')) return 'plan'
    return modes.toName(current)
  }

  async setMode(mode: string): Promise<void> {
    const { requests, startMode } = this.opened
    const modes = this.#link.modes(this.opened.mode)
    const planning = modes.normalize(mode) === 'plan'
    if (planning && this.#link.unsafePlanAfter(startMode))
      throw new RemoraError('unsupported', `${this.#link.title} runs commands unasked in plan mode here`, {
        hint: `The session was opened with the mode ${startMode}. Open it again with mode: 'plan'.`,
      })
    if (planning) await this.#link.checkPlan(this.opened.place)
    // Enabled before the agent enters plan mode and disabled after it has left, so that no request is missed.
    if (planning) requests.planning = true
    const id = chooseStartMode(this.#link.guard, modes, this.opened.mode, mode)!
    const before = this.#allowedMode
    this.#allowedMode = id
    try {
      await this.#choose(this.opened.mode, id)
    } catch (error) {
      this.#allowedMode = before
      throw error
    }
    requests.planning = planning
  }

  async setModel(model: string): Promise<void> {
    await this.#choose(this.opened.model, model)
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    const prompts = this.#queue.map(({ stop }) => stop.now(closedError(this.id)))
    await Promise.all(prompts)
    await this.opened.requests.close()
    await this.opened.tools?.close()
    await this.#link.leave(this.id)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  /** Whether our tool runs, the user is asked or reading is paused, in which case silence is not a stall. */
  get occupied(): boolean {
    return this.opened.requests.busy || (this.opened.tools?.busy ?? false) || this.#link.held
  }

  /** The agent has sent a message, which may not be delivered yet. */
  alive(): void {
    this.lastUpdateAt = Date.now()
    if (this.#turn?.lastUpdateAt !== undefined) this.#turn.lastUpdateAt = this.lastUpdateAt
  }

  take(events: readonly Event[]): void {
    for (const event of events) {
      // The first `session` event has the most fields; later ones update the title.
      if (event.type === 'session' && (event.cwd !== undefined || !this.sessionEvent))
        this.sessionEvent = event
      if (event.type === 'usage') this.#spent = addUsage(this.#spent, event.usage)
      if (event.type === 'status') this.#follow(event)
    }
    this.#turn?.add(events)
    if ((this.#turn?.unread ?? 0) > unreadLimit) this.#link.slow(this.id, true)
  }

  /** The agent has ended the turn, which may not be delivered yet. */
  turnOver(): void {
    this.#turn?.end()
  }

  /** Cancels the turn; kills the agent if it does not stop. */
  async breakOff(): Promise<void> {
    const turn = this.#turn
    if (!turn || turn.isOver) return
    if (turn.lastUpdateAt === undefined) {
      turn.fail(new RemoraError('aborted', 'The turn was cancelled'))
      return
    }
    const { settledAt } = turn
    this.opened.requests.cancel()
    this.opened.tools?.cancelCalls()
    // Resume reading, so that the end of the turn is received.
    const release = this.#link.letFlow()
    // Not awaited, because an agent that no longer reads would block forever.
    void this.#link.notify('session/cancel', { sessionId: this.id })
    await waitAtMost(turn.over, cancelMs)
    release()
    if (turn.isOver && settledAt !== undefined) await this.#link.endCommands(this, settledAt)
    if (!turn.isOver)
      await this.#link.fail(
        new RemoraError('crashed', `${this.#link.title} did not stop after a cancel and was killed`, {
          hint: 'connection.restart() restarts it and resumes its sessions.',
        }),
      )
  }

  /** Waits for agents that list the tools only after the session is open. */
  async toolsListed(): Promise<void> {
    this.#listed ??= this.opened.tools?.listed(listMs)
    await this.#listed
  }

  /** Fails the running turn. */
  fail(error: unknown): void {
    this.opened.requests.cancel()
    this.opened.tools?.cancelCalls()
    // A prompt that waits for a restart was not sent and is kept.
    if (this.#turn?.lastUpdateAt !== undefined) this.#turn.fail(error)
  }

  /** The agent could not load the session after a restart. */
  lose(error: Error | undefined): void {
    this.#lost = error
  }

  /** Waits for this prompt's turn. A stopped prompt makes room even if its events are unread. */
  async enter(stop: Stop, first: boolean): Promise<() => void> {
    stop.throwIfStopped()
    let go!: () => void
    const turn = new Promise<void>((resolve) => (go = resolve))
    const entry = { stop, go }
    const alone = this.#queue.length === 0
    if (first && !alone) this.#queue.splice(1, 0, entry)
    else this.#queue.push(entry)
    const leave = (): void => {
      const index = this.#queue.indexOf(entry)
      if (index !== -1) this.#queue.splice(index, 1)
      if (index === 0) this.#queue[0]?.go()
    }
    stop.onStop(async () => {
      if (this.#queue[0] === entry) await this.breakOff()
      go()
      leave()
    })
    if (!alone) {
      // The prompt before it may have unread events.
      const release = this.#link.letFlow()
      await turn
      release()
    }
    const obstacle = this.#closing ? closedError(this.id) : this.#lost
    if (!stop.stopped && !obstacle) return leave
    leave()
    stop.throwIfStopped()
    throw obstacle!
  }

  /** Sends a prompt. */
  begin(prompt: readonly AgentRecord[]): Turn {
    const turn = new Turn()
    this.#turn = turn
    const { restarting } = this.#link
    if (restarting) void restarting.catch(() => {}).then(() => this.#send(turn, prompt))
    else this.#send(turn, prompt)
    return turn
  }

  #send(turn: Turn, prompt: readonly AgentRecord[]): void {
    // Cancelled while waiting.
    if (turn.isOver) return
    turn.send()
    this.#link.request('session/prompt', { sessionId: this.id, prompt }).catch((error: unknown) => {
      // An error response is read from the wire. Deliver the last messages before the end.
      if (!isReply(error)) void this.#link.settled().then(() => turn.fail(error))
    })
  }

  /** Ends the turn; later updates belong to no prompt. */
  end(turn: Turn): void {
    if (this.#turn === turn) this.#turn = undefined
    this.#link.slow(this.id, false)
  }

  #start(content: PromptContent, options: PromptOptions, first: boolean): Run<never> {
    const id = randomUUID()
    const stop = new Stop()
    const promptRun = new PromptRun({ id, session: this, link: this.#link, content, options, stop, first })
    return new BatchedRun(id, stop, promptRun.batches()) as unknown as Run<never>
  }

  async #choose(choices: Choices, value: string): Promise<void> {
    if (this.#closing) throw closedError(this.id)
    if (choices.current === value) return
    checkChoice(choices, value, this.#link.title)
    await this.#link.request(...choiceRequest(choices, this.id, value))
    choices.current = value
  }

  /** From here on, reports changes to a self-approving mode that the caller did not make. */
  guardMode(): void {
    this.#allowedMode = this.opened.mode.current
    this.#guarded = true
  }

  /** The agent has changed its mode by itself, or with the user's approval. */
  #checkMode(id: string): void {
    const { guard } = this.#link
    if (!this.#guarded || id === this.#allowedMode || isAllow(guard.permissions)) return
    const modes = this.#link.modes(this.opened.mode)
    if (!modes.isSelfApproving(id)) {
      this.#allowedMode = id
      return
    }
    const mode = modes.toName(id)
    const problem = new RemoraError(
      'permission',
      `${guard.title} runs tools without asking now: mode ${mode}`,
    )
    this.#link.warn(this.id, toWarningFields(`${this.id}/mode/${Date.now()}`, problem))
    const { permissions, asks } = this.#link.options
    const isDenied = (permissions ?? (asks ? 'ask' : 'deny')) === 'deny'
    if (isDenied) void this.setMode('default').catch(() => this.cancel())
    else this.#allowedMode = id
  }

  #follow({ status, value }: EventOf<'status'>): void {
    if (typeof value !== 'string') return
    if (status === 'mode') {
      this.opened.mode.current = this.#link.modes(this.opened.mode).toId(value)
      if (value === 'plan') this.opened.requests.planning = true
      this.#checkMode(this.opened.mode.current)
    }
    if (status === 'model') this.opened.model.current = value
  }
}

function closedError(id: string): RemoraError {
  return new RemoraError('usage', `The session ${id} is closed`, {
    hint: 'Open it again with connection.open({ cwd, resume: id }).',
  })
}

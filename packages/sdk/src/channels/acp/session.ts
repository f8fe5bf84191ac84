import { type Event, type EventOf, type Usage, addUsage, RemoraError } from '@remora/protocol/plain'
import { randomUUID } from 'node:crypto'
import type { z } from 'zod'
import type { Place, Problem } from '../../agent.ts'
import type { AgentRecord } from '../../read-record.ts'
import { BatchedRun, type Run } from '../../running/run.ts'
import { Stop } from '../../running/stop.ts'
import { type Choices, checkChoice, choiceRequest } from './choices.ts'
import type { ClientRequests } from './client-requests.ts'
import type { Link } from './link.ts'
import type { Budget, PromptContent, PromptOptions } from './options.ts'
import { PromptCourse } from './prompt-course.ts'
import type { ToolServer } from './tools/tool-server.ts'
import { Turn } from './turn.ts'

/** What a session was opened with. */
export interface Opened {
  readonly id: string
  readonly place: Place
  readonly mode: Choices
  readonly model: Choices
  readonly requests: ClientRequests
  readonly tools: ToolServer | undefined
  /** Whether the program has tools of its own. */
  readonly hostTools: boolean
  /** Whether one of the tools takes data. */
  readonly outputTool: boolean
  /** Why the model could not be given a tool to answer with data. */
  readonly obstacle: Problem | undefined
  readonly budget: Budget | undefined
  /** What the agent is asked to take, again when it is started again. */
  readonly mcpServers: readonly AgentRecord[]
}

/** How long an agent may take to end a turn that was cancelled, before it is ended itself. */
const cancelMs = 3_000
/** How long an agent may take to look at the tools that it is offered. */
const listMs = 2_000
/** How many unread events stop the agent. */
const unreadLimit = 2_000

/**
 * One conversation with an agent that stays. Prompts wait for each other.
 *
 * @example
 * for await (const event of session.prompt('Which test is slow?')) if (event.type === 'text') show(event.text)
 */
export class Session implements AsyncDisposable {
  readonly id: string
  readonly cwd: string
  readonly #link: Link
  readonly #opened: Opened
  /** Prompts that wait for their turn, the first of them at work. */
  readonly #queue: { readonly stop: Stop; go(): void }[] = []
  #turn: Turn | undefined
  #listed: Promise<boolean> | undefined
  #spent: Usage = {}
  #closed = false
  #heard = Date.now()
  #told: EventOf<'session'> | undefined

  constructor(link: Link, opened: Opened) {
    this.id = opened.id
    this.cwd = opened.place.cwd
    this.#link = link
    this.#opened = opened
  }

  /** What the agent may do unasked, and what else it offers. */
  get modes(): Readonly<Choices> {
    return this.#opened.mode
  }

  get models(): Readonly<Choices> {
    return this.#opened.model
  }

  /** The tokens of all prompts so far, as far as the agent told them. */
  get usage(): Usage {
    return this.#spent
  }

  /** How many prompts are under way or wait for it. */
  get waiting(): number {
    return this.#queue.length
  }

  /**
   * Says something to the agent. A prompt before it is answered first.
   *
   * @example const { data } = await session.prompt('Rate it', { output: z.object({ stars: z.number() }) }).result
   */
  prompt<Schema extends z.ZodType = z.ZodType>(
    content: PromptContent,
    options: PromptOptions<Schema> = {},
  ): Run<z.infer<Schema>> {
    return this.#start(content, options, false)
  }

  /** Breaks off what the agent does and says this at once, before all that waits. */
  sendNow<Schema extends z.ZodType = z.ZodType>(
    content: PromptContent,
    options: PromptOptions<Schema> = {},
  ): Run<z.infer<Schema>> {
    const [before] = this.#queue
    const run = this.#start(content, options, true)
    void before?.stop.now(new RemoraError('aborted', 'Another prompt broke in'))
    return run
  }

  /** Breaks off the prompt under way; settles when its turn is over. Does nothing when there is none. */
  async cancel(): Promise<void> {
    await this.#queue[0]?.stop.now(new RemoraError('aborted', 'The turn was cancelled'))
  }

  /** @example await session.setMode('plan') */
  async setMode(mode: string): Promise<void> {
    await this.#choose(this.#opened.mode, this.#link.modeId(mode))
  }

  async setModel(model: string): Promise<void> {
    await this.#choose(this.#opened.model, model)
  }

  /** Ends the conversation here; the agent keeps it, and it can be resumed. */
  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    await this.cancel()
    for (const { go } of this.#queue.slice(1)) go()
    await this.#link.leave(this.id)
    await this.#opened.requests.close()
    await this.#opened.tools?.close()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  // What follows is for the channel itself.

  /** @internal */
  get opened(): Opened {
    return this.#opened
  }

  /** @internal The event that told of the session. */
  get told(): EventOf<'session'> | undefined {
    return this.#told
  }

  /** @internal */
  get asking(): boolean {
    return this.#opened.requests.asking
  }

  /** @internal When the agent last said anything of this session. */
  get heard(): number {
    return this.#heard
  }

  /** @internal */
  take(events: readonly Event[]): void {
    this.#heard = Date.now()
    for (const event of events) {
      if (event.type === 'session') this.#told ??= event
      if (event.type === 'usage') this.#spent = addUsage(this.#spent, event.usage)
      if (event.type === 'status') this.#follow(event)
    }
    this.#turn?.add(events)
    if ((this.#turn?.unread ?? 0) > unreadLimit) this.#link.slow(this)
  }

  /** @internal Tells the agent to stop; ends it if it does not. */
  async breakOff(): Promise<void> {
    const turn = this.#turn
    if (!turn || turn.done || turn.failure) return
    this.#opened.requests.cancel()
    this.#opened.tools?.cancelCalls()
    await this.#link.notify('session/cancel', { sessionId: this.id })
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<true>((resolve) => (timer = setTimeout(resolve, cancelMs, true)))
    const ignored = await Promise.race([turn.over, late])
    clearTimeout(timer)
    if (ignored)
      await this.#link.fail(
        new RemoraError('crashed', `${this.#link.title} did not stop when it was told to, and was ended`, {
          hint: 'connection.restart() starts it again and goes on with its sessions.',
        }),
      )
  }

  /** @internal Some agents look at the tools only after they have opened the session, and a prompt would come too early. */
  async toolsListed(): Promise<void> {
    this.#listed ??= this.#opened.tools?.listed(listMs)
    await this.#listed
  }

  /** @internal The process has gone, and with it the turn. */
  fail(error: unknown): void {
    this.#opened.requests.cancel()
    this.#turn?.fail(error)
  }

  /** @internal Waits until it is this prompt's turn; gives what lets the next one in. */
  async enter(stop: Stop, first: boolean): Promise<() => void> {
    let go!: () => void
    const turn = new Promise<void>((resolve) => (go = resolve))
    const entry = { stop, go }
    const alone = this.#queue.length === 0
    if (first && !alone) this.#queue.splice(1, 0, entry)
    else this.#queue.push(entry)
    const leave = (): void => {
      const index = this.#queue.indexOf(entry)
      this.#queue.splice(index, 1)
      if (index === 0) this.#queue[0]?.go()
    }
    if (!alone) {
      const forget = stop.onStop(async () => go())
      await turn
      forget()
    }
    if (!stop.stopped && !this.#closed) return leave
    leave()
    stop.throwIfStopped()
    throw closedError(this.id)
  }

  /** @internal Sends a prompt. */
  begin(prompt: readonly AgentRecord[]): Turn {
    if (this.#closed) throw closedError(this.id)
    const turn = new Turn()
    this.#turn = turn
    this.#link.request('session/prompt', { sessionId: this.id, prompt }).catch((error: unknown) => {
      // What the agent refused it has told in its answer, which is on the wire.
      if (RemoraError.is(error) && error.code === 'crashed') void this.#link.fail(error)
    })
    return turn
  }

  /** @internal The turn is over, and what comes now belongs to nobody's prompt. */
  end(turn: Turn): void {
    if (this.#turn === turn) this.#turn = undefined
  }

  #start(content: PromptContent, options: PromptOptions, first: boolean): Run<never> {
    const id = randomUUID()
    const stop = new Stop()
    const course = new PromptCourse({ session: this, link: this.#link, content, options, stop, first })
    return new BatchedRun(id, stop, course.batches()) as unknown as Run<never>
  }

  async #choose(choices: Choices, value: string): Promise<void> {
    if (choices.current === value) return
    checkChoice(choices, value, this.#link.title)
    await this.#link.request(...choiceRequest(choices, this.id, value))
    choices.current = value
  }

  #follow({ status, value }: EventOf<'status'>): void {
    if (typeof value !== 'string') return
    if (status === 'mode') this.#opened.mode.current = value
    if (status === 'model') this.#opened.model.current = value
  }
}

function closedError(id: string): RemoraError {
  return new RemoraError('usage', `The session ${id} is closed`, {
    hint: 'Open it again with connection.open({ cwd, resume: id }).',
  })
}

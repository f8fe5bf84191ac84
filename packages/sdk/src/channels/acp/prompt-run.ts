import { addUsage, type Event, type EventOf, RemoraError, type Usage } from '@remora/protocol/plain'
import type { AcpOutput } from '../../contract/agent.ts'
import type { EventFields } from '../../events/event-maker.ts'
import { encodePrompt } from '../../contract/prompt-escapes.ts'
import { Collector, type RunFailure, type RunResult, toRunFailure } from '../../runs/result.ts'
import type { Stop } from '../../runs/stop.ts'
import { checkBudget, checkSpending } from './budget.ts'
import { checkPromptOptions } from './check-options.ts'
import type { Link } from './link.ts'
import type { PromptContent, PromptOptions } from './options.ts'
import { encodeContent, plainContent, promptContent } from './prompt-content.ts'
import type { LiveSession } from './live-session.ts'
import type { PromptOutput } from './prompt-output.ts'
import type { Turn } from './turn.ts'

export interface PromptRunOptions {
  readonly id: string
  readonly session: LiveSession
  readonly link: Link
  readonly content: PromptContent
  readonly options: PromptOptions
  readonly stop: Stop
  /** Whether it runs before all waiting prompts. */
  readonly first: boolean
}

/** The longest delay of a timer; a longer one fires immediately. */
const longestTimer = 2 ** 31 - 1

/** One prompt: waits for its turn, sends it, emits events, sends follow-ups, and collects the result. */
export class PromptRun {
  readonly #id: string
  readonly #session: LiveSession
  readonly #link: Link
  readonly #content: PromptContent
  readonly #options: PromptOptions
  readonly #stop: Stop
  readonly #first: boolean
  readonly #collector = new Collector()
  readonly #began = Date.now()
  readonly #deadline: Date | undefined
  #spent: Usage = {}
  readonly #calls = new Map<string, EventOf<'tool_use'>>()
  readonly #denials: { readonly id: string; readonly name: string; readonly input: unknown }[] = []
  #opened = false
  #done: EventOf<'done'> | undefined
  #failed: EventOf<'error'> | undefined

  constructor({ id, session, link, content, options, stop, first }: PromptRunOptions) {
    checkPromptOptions(options)
    checkBudget(options.budget)
    this.#id = id
    this.#session = session
    this.#link = link
    this.#content = content
    this.#options = options
    const { deadline } = options
    this.#deadline = typeof deadline === 'number' ? new Date(Date.now() + deadline) : deadline
    this.#stop = stop
    this.#first = first
  }

  async *batches(): AsyncGenerator<Event[], RunResult, void> {
    const forget = this.#watchClock()
    let failure: RunFailure | undefined
    let data: { value: unknown } | undefined
    let leave: (() => void) | undefined
    let output: PromptOutput | undefined
    try {
      leave = await this.#session.enter(this.#stop, this.#first)
      const { cwd, opened } = this.#session
      if (this.#options.output || opened.hostTools) await this.#stop.race(this.#session.toolsListed())
      if (opened.tools) opened.tools.deadline = this.#deadline
      const { title, takes, escapes } = this.#link
      if (this.#options.output) output = await this.#createOutput(this.#options.output)
      const { end } = output ?? {}
      if (end) this.#stop.onStop(async () => end())
      const syntax = { title, escapes }
      const content = encodeContent(this.#content, this.#options.kind ?? 'text', syntax)
      const plain = output ? undefined : plainContent(content)
      let next = plain ?? (await promptContent(content, { cwd, title, takes }, output?.instruction))
      for (let round = 1; ; round++) {
        this.#checkBudgets()
        failure = yield* this.#round(next, leave)
        if (failure) break
        const more = await this.#wanting(output, round)
        if (typeof more !== 'string') {
          failure = more
          break
        }
        next = [{ type: 'text', text: encodePrompt(more, 'text', syntax) }]
        this.#collector.newTurn({ ok: true, turns: 1 })
      }
      if (!failure) data = output?.value
    } catch (error) {
      failure = toRunFailure(error, this.#stop.signal)
    } finally {
      forget()
      output?.end()
      leave?.()
    }
    yield* this.#close(failure)
    return this.#collector.result({
      durationMs: Date.now() - this.#began,
      outcome: { ok: !failure, turns: 1, permissionDenials: this.#denials, ...this.#stopReason(failure) },
      stderr: this.#link.stderr,
      error: failure,
      data,
    })
  }

  async #createOutput(output: NonNullable<PromptOptions['output']>): Promise<PromptOutput> {
    const { createPromptOutput } = await import('./prompt-output.ts')
    const { outputTool, tools, obstacle } = this.#session.opened
    return createPromptOutput(output, outputTool ? tools : undefined, obstacle)
  }

  /** One prompt and its answer. */
  async *#round(
    prompt: Parameters<LiveSession['begin']>[0],
    leave: () => void,
  ): AsyncGenerator<Event[], RunFailure | undefined, void> {
    this.#stop.throwIfStopped()
    this.#done = undefined
    this.#failed = undefined
    const silent: string[] = []
    const turn = this.#session.begin(prompt)
    // A prompt with one turn makes room when the turn is over, even if its events are unread.
    const { output, until } = this.#options
    if (!output && !until) void turn.over.then(() => turn.quiet(this.#link.lateMs)).then(leave)
    const spoke = this.#collector.spoke
    this.#collector.spoke = false
    try {
      yield* this.#until(turn, silent)
      yield* this.#complete(silent)
      yield* this.#late(turn)
    } finally {
      // Cancel the turn if the consumer stops reading.
      if (!turn.isOver) await this.#session.breakOff()
      this.#session.end(turn)
    }
    this.#done = turn.done
    this.#stop.throwIfStopped()
    if (turn.failure) throw turn.failure.error
    const quiet = !this.#collector.spoke
    this.#collector.spoke ||= spoke
    return this.#getFailure(turn, quiet)
  }

  /** Emits events until the turn is over. */
  async *#until(turn: Turn, silent: string[]): AsyncGenerator<Event[], void, void> {
    const { stuck } = this.#link.options
    let since = Date.now()
    for (;;) {
      const events = turn.take()
      if (events.length > 0) {
        this.#link.slow(this.#session.id, false)
        this.#look(events, silent)
        yield this.#pass(events)
        // Time without a reader does not count as the agent's.
        since = Date.now()
        continue
      }
      if (turn.done || turn.failure) return
      if (!stuck || this.#stop.stopped || turn.lastUpdateAt === undefined) {
        await turn.more()
        continue
      }
      const left = Math.max(turn.lastUpdateAt, since) + stuck.afterMs - Date.now()
      if (left > 0) {
        await turn.more(left)
        continue
      }
      since = Date.now()
      // Waiting for an answer of the user or for our own tool is not a stall.
      if (!this.#session.occupied) yield* this.#noteSilence(stuck.afterMs, stuck.act ?? 'tell')
    }
  }

  async *#noteSilence(ms: number, act: 'tell' | 'cancel' | 'restart'): AsyncGenerator<Event[], void, void> {
    const time = ms < 1_000 ? `${ms} ms` : `${Math.round(ms / 1_000)} seconds`
    const message = `${this.#link.title} has been silent for ${time}`
    const entity = `${this.#id}/silence/${Date.now()}`
    yield this.#pass(
      await this.#emit({ type: 'error', entity, code: 'timeout_idle', severity: 'warning', message }),
    )
    if (act === 'tell') return
    const error = new RemoraError('timeout_idle', message, { hint: 'Give it more time with stuck.afterMs.' })
    if (act === 'restart') {
      await this.#link.fail(error)
      await this.#link.restart()
    }
    void this.#stop.now(error)
  }

  #look(events: readonly Event[], silent: string[]): void {
    for (const event of events) {
      if (event.type === 'usage') this.#spent = addUsage(this.#spent, event.usage)
      if (event.type === 'error' && event.severity === 'error') this.#failed = event
      if (event.type === 'tool_use') this.#calls.set(event.entity, event)
      if (event.type !== 'tool_result') continue
      if (event.status === 'denied') this.#deny(event.entity)
      const index = silent.indexOf(event.entity)
      if (event.content === undefined && !event.display && index === -1) silent.push(event.entity)
      if (event.content !== undefined && index !== -1) silent.splice(index, 1)
    }
  }

  #deny(call: string): void {
    if (this.#denials.some(({ id }) => id === call)) return
    const { name = 'tool', input } = this.#calls.get(call) ?? {}
    this.#denials.push({ id: call, name, input })
  }

  /** Reads outputs that the agent did not send from its own files. */
  async *#complete(silent: readonly string[]): AsyncGenerator<Event[], void, void> {
    if (silent.length === 0) return
    const reading = this.#link.outputs(this.#session, silent).catch(() => new Map<string, AcpOutput>())
    const outputs = await this.#stop.race(reading)
    const fields: EventFields[] = []
    for (const [entity, { content, status: ended }] of outputs) {
      const status = this.#collector.getStatus(entity)
      if (!status) continue
      // A call that the user denied stays denied, whatever the file says.
      fields.push({ type: 'tool_result', entity, status: (status === 'success' && ended) || status, content })
    }
    if (fields.length > 0) yield this.#pass(await this.#emit(...fields))
  }

  /** Emits late updates, for agents that send them after the response. */
  async *#late(turn: Turn): AsyncGenerator<Event[], void, void> {
    const { lateMs } = this.#link
    if (lateMs === 0 || turn.failure) return
    while (turn.quietIn(lateMs) > 0) {
      await turn.more(turn.quietIn(lateMs))
      const events = turn.take()
      if (events.length > 0) yield this.#pass(events)
    }
  }

  #getFailure({ done }: Turn, quiet: boolean): RunFailure | undefined {
    // A slash command may have no output.
    const isCommand = typeof this.#content === 'string' && this.#content.trimStart().startsWith('/')
    return getTurnFailure(this.#link.title, done, this.#failed, quiet && !isCommand)
  }

  /** The follow-up for the agent, or the reason to stop, or undefined if the prompt is done. */
  async #wanting(output: PromptOutput | undefined, round: number): Promise<string | RunFailure | undefined> {
    const { until, rounds = 10 } = this.#options
    const text = this.#collector.text
    const missing = output?.check(text)
    if (missing && 'again' in missing) return missing.again
    if (missing) return { code: 'unknown', message: missing.problem, hint: missing.hint, retryable: false }
    const undone =
      until && (await this.#stop.race(Promise.resolve(until({ cwd: this.#session.cwd, text, round }))))
    if (undone === undefined) return undefined
    if (round <= rounds) return undone
    return {
      code: 'unknown',
      message: `The work is not done although the agent was sent back ${rounds} times: ${undone}`,
      hint: 'Allow more with rounds, or ask for less.',
      retryable: false,
    }
  }

  #checkBudgets(): void {
    const spent =
      checkSpending(this.#options.budget, this.#spent) ??
      checkSpending(this.#session.opened.budget, this.#session.usage)
    if (spent) throw spent
  }

  /** Stops the turn on abort or at the deadline. Returns the function that unregisters both. */
  #watchClock(): () => void {
    const { signal } = this.#options
    const abort = (): void =>
      void this.#stop.now(new RemoraError('aborted', 'The turn was cancelled', { cause: signal?.reason }))
    if (signal?.aborted) abort()
    signal?.addEventListener('abort', abort)
    const left = this.#deadline && this.#deadline.getTime() - Date.now()
    const late = (): void =>
      void this.#stop.now(
        new RemoraError('timeout_total', 'The deadline of the prompt has passed', {
          hint: 'Give it more time with deadline, or ask for less.',
        }),
      )
    const timer = left === undefined ? undefined : setTimeout(late, Math.min(Math.max(0, left), longestTimer))
    return () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
    }
  }

  async *#close(failure: RunFailure | undefined): AsyncGenerator<Event[], void, void> {
    const done = this.#done
    const entity = done?.entity ?? this.#id
    const error: EventFields[] =
      failure && !this.#failed
        ? [{ type: 'error', entity: `${entity}/error/${this.#began}`, severity: 'error', ...failure }]
        : []
    // The agent's `done` was already emitted, unless the result differs from it.
    if (done && done.ok === !failure) {
      yield this.#pass([...(await this.#emit(...error)), done])
      return
    }
    const end = { type: 'done', entity, ok: !failure, ...this.#stopReason(failure) } as const
    yield this.#pass(await this.#emit(...error, end))
  }

  #stopReason(failure: RunFailure | undefined): { stopReason?: string } {
    const late = failure?.code === 'aborted' || failure?.code.startsWith('timeout_')
    const stopReason = late ? 'cancelled' : this.#done?.stopReason
    return stopReason === undefined ? {} : { stopReason }
  }

  #emit(...fields: EventFields[]): Promise<Event[]> {
    return this.#link.emit(this.#session.id, fields)
  }

  /** Emits events, the `session` event first. */
  #pass(events: Event[]): Event[] {
    const { sessionEvent } = this.#session
    if (sessionEvent && !this.#opened) events.unshift(sessionEvent)
    this.#opened = true
    for (const event of events) this.#collector.add(event)
    return events
  }
}

/** Gets the failure of an ended turn; undefined if it succeeded. */
function getTurnFailure(
  title: string,
  done: EventOf<'done'> | undefined,
  failed: EventOf<'error'> | undefined,
  quiet: boolean,
): RunFailure | undefined {
  if (failed) {
    const { code, message, hint, retryable = false } = failed
    return { code, message, ...(hint === undefined ? {} : { hint }), retryable }
  }
  const { ok = false, stopReason } = done ?? {}
  switch (stopReason) {
    case 'cancelled':
      return { code: 'aborted', message: 'The turn was cancelled', retryable: false }
    case 'refusal':
      return { code: 'permission', message: `${title} refused to go on`, retryable: false }
    case 'max_turn_requests':
      return {
        code: 'budget',
        message: `${title} stopped after too many requests in one turn`,
        hint: 'It may go in circles: say more exactly what to do.',
        retryable: false,
      }
    default:
  }
  if (!ok) return { code: 'unknown', message: `The turn ended with ${stopReason}`, retryable: false }
  if (!quiet) return undefined
  return {
    code: 'unknown',
    message: `${title} ended its turn without a word`,
    hint: 'Check the model and the credentials: some agents end the turn without text instead of reporting an error.',
    retryable: true,
  }
}

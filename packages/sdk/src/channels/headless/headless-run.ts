import { homedir } from 'node:os'
import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { randomUUID } from 'node:crypto'
import { type Event, RemoraError, addUsage } from '@remora/protocol/plain'
import type {
  Agent,
  HeadlessRequest,
  Place,
  Problem,
  StartMode,
  HeadlessReader,
} from '../../contract/agent.ts'
import { detect } from '../../detect/detect.ts'
import { EventMaker } from '../../events/event-maker.ts'
import { defined } from '../../events/fields.ts'
import { encodePrompt } from '../../contract/prompt-escapes.ts'
import { getStartMode } from '../../contract/modes.ts'
import { createUnsupportedError } from '../../versions/version.ts'
import { type RunFailure, type RunResult, Collector, toRunFailure } from '../../runs/result.ts'
import { Stop } from '../../runs/stop.ts'
import { type OutputFormat, outputFormat } from '../../runs/read-output.ts'
import { classifyError } from '../../events/classify-error.ts'
import { type Run, BatchedRun } from '../../runs/run.ts'
import { makeUnreadable } from '../../events/read-record.ts'
import { type AttemptEnd, attempt } from './attempt.ts'
import { Conversations } from './conversations.ts'
import { Deadlines } from './deadlines.ts'
import { type MediaFiles, prepareMedia } from './media.ts'
import { type RunOptions, checkOptions } from './options.ts'
import { ShellResults } from './shell-results.ts'

interface Found {
  readonly command: string
  readonly place: Place
}

/** One headless run: finds the agent, starts it, retries, and collects the result. */
export class HeadlessRun {
  readonly #agent: Agent
  readonly #options: RunOptions
  readonly #maker: EventMaker
  readonly #collector = new Collector()
  readonly #stop: Stop
  readonly #deadlines: Deadlines
  readonly #began = Date.now()
  readonly #problems: Problem[] = []
  /** `#opened`: the `session` event was emitted. `#named`: the current start has reported its session. */
  #start: StartMode | undefined
  #opened = false
  #named = false
  #sinkFailed = false
  #attempts = 0
  #key = 0

  constructor(id: string, agent: Agent, options: RunOptions, stop: Stop) {
    this.#agent = agent
    this.#options = options
    this.#stop = stop
    this.#deadlines = new Deadlines(options.timeouts ?? {})
    const resumed =
      typeof options.resume === 'string' && options.resume !== 'latest' ? options.resume : undefined
    const session = options.sessionId ?? resumed ?? ''
    this.#maker = new EventMaker({ agent: agent.id, channel: 'headless', source: id, session })
  }

  async *batches(): AsyncGenerator<Event[], RunResult, void> {
    const { signal } = this.#options
    const forward = (): void =>
      void this.#stop.now(new RemoraError('aborted', 'The run was cancelled', { cause: signal?.reason }))
    if (signal?.aborted) forward()
    signal?.addEventListener('abort', forward)
    const forget = this.#deadlines.onTotal((late) => void this.#stop.now(late))
    let end: AttemptEnd | undefined
    let failure: RunFailure | undefined
    let data: { value: unknown } | undefined
    let media: MediaFiles | undefined
    let conversations: Conversations | undefined
    const { output, conversation } = this.#options
    try {
      const format = output === undefined ? undefined : outputFormat(output)
      const found = await this.#find()
      this.#start = await getStartMode(this.#agent, found.place, this.#options.mode)
      conversations = new Conversations(found.place)
      const earlier =
        conversation === undefined ? undefined : await conversations.find(this.#agent.id, conversation)
      media = this.#options.media && (await prepareMedia(this.#options.media, found.place.cwd))
      let request = this.#request(format, media, earlier)
      for (let asked = 0; ; asked++) {
        end = yield* this.#untilDone(found, request)
        failure = end.outcome.ok ? undefined : toFailure(end)
        if (
          failure?.code === 'input' &&
          request.resume !== undefined &&
          request.resume === earlier &&
          !this.#collector.spoke
        ) {
          // The conversation's session no longer exists, so it continues in a new one.
          request = this.#request(format, media, undefined)
          continue
        }
        if (failure || !format) break
        const answer = format.read(this.#collector.text)
        if ('value' in answer) {
          data = answer
          break
        }
        if (asked > 0) {
          failure = {
            code: 'unknown',
            message: `The answer does not fit what was asked for: ${answer.problem}`,
            hint: 'The answer is in result.text. A simpler schema, or a stronger model, may help.',
            retryable: false,
          }
          break
        }
        this.#collector.newTurn(end.outcome)
        request = this.#askAgain(answer.problem, format)
      }
    } catch (error) {
      failure = toRunFailure(error, this.#stop.signal)
    } finally {
      signal?.removeEventListener('abort', forward)
      forget()
      await media?.remove()
    }
    // The conversation continues in this session, also after an interrupted answer.
    if (conversation !== undefined && (!failure || this.#collector.spoke))
      await conversations?.set(this.#agent.id, conversation, this.#collector.sessionId)
    yield* this.#close(failure, end)
    return this.#collector.result({
      durationMs: Date.now() - this.#began,
      outcome:
        failure?.code === 'aborted' ? { ...end?.outcome, ok: false, stopReason: 'cancelled' } : end?.outcome,
      exit: end?.exit,
      stderr: end?.stderr ?? '',
      error: failure,
      data,
    })
  }

  /** Starts the agent, and retries temporary failures and other keys until it has produced something or failed for good. */
  async *#untilDone(found: Found, request: HeadlessRequest): AsyncGenerator<Event[], AttemptEnd, void> {
    const { retry = { attempts: 1 }, keys = [] } = this.#options
    for (;;) {
      this.#attempts++
      this.#named = false
      const since = Date.now()
      const end = yield* this.#through(this.#attempt(found, request), this.#shellResults(found))
      yield* this.#usage(found, since)
      const failure = end.outcome.ok ? undefined : toFailure(end)
      if (!failure || this.#collector.spoke) return end
      const nextKey = (failure.code === 'auth' || failure.code === 'quota') && this.#key + 1 < keys.length
      if (!nextKey && !(failure.retryable && this.#attempts < retry.attempts)) return end
      if (nextKey) this.#key++
      const waitMs = nextKey ? 0 : getBackoff(this.#attempts, retry.baseMs ?? 1_000)
      this.#maker.next()
      yield* this.#pass([
        this.#maker.make({
          type: 'status',
          entity: this.#maker.source,
          status: 'retrying',
          detail: nextKey ? `${failure.message} (taking the next key)` : failure.message,
          value: { attempt: this.#attempts, waitMs, code: failure.code },
        }),
      ])
      this.#collector.restart()
      request = this.#again(request)
      await sleep(waitMs, undefined, { signal: this.#stop.signal }).catch(() =>
        this.#stop.signal.throwIfAborted(),
      )
    }
  }

  /** The request of a retry: a session with the chosen id exists by now, so it is resumed. */
  #again(request: HeadlessRequest): HeadlessRequest {
    if (!this.#named || request.sessionId === undefined) return request
    const { sessionId, ...rest } = request
    return { ...rest, resume: sessionId }
  }

  #attempt(found: Found, request: HeadlessRequest) {
    const { keys } = this.#options
    const variable = this.#agent.headless!.keyVariable
    const key = keys?.[this.#key]
    const keyed = key !== undefined && variable ? { ...found.place.env, [variable]: key } : found.place.env
    const env = { ...keyed, ...this.#start?.env }
    return attempt({
      agent: this.#agent,
      command: found.command,
      request,
      place: { ...found.place, env },
      reader: (prepared) => guardReader(this.#maker, this.#agent.headless!.reader!(this.#maker, prepared)),
      deadlines: this.#deadlines,
      stop: this.#stop,
      report: (problems) => void this.#problems.push(...problems),
    })
  }

  async #find(): Promise<Found> {
    const { cwd = process.cwd(), env = {}, keys } = this.#options
    const agent = this.#agent
    if (!agent.headless?.reader)
      throw createUnsupportedError(
        agent.title,
        'headless runs',
        'See remora agents for the ways to reach it.',
      )
    if (keys && !agent.headless.keyVariable)
      throw createUnsupportedError(agent.title, 'the option keys', 'Give its key by env instead.')
    const place: Place = {
      env: { ...process.env, ...env },
      home: env['HOME'] ?? homedir(),
      cwd: resolve(cwd),
    }
    const { path, version, problems } = await detect(agent, place)
    if (path !== undefined) return { command: path, place: { ...place, version } }
    const [problem] = problems
    throw new RemoraError('agent_missing', problem?.message ?? `${agent.title} is not installed`, {
      hint: problem?.hint ?? agent.detection.install,
    })
  }

  #request(
    format: OutputFormat | undefined,
    media: MediaFiles | undefined,
    earlier: string | undefined,
  ): HeadlessRequest {
    const {
      prompt,
      promptKind,
      context,
      resume,
      model,
      effort,
      sessionId,
      fork,
      systemPrompt,
      mcpServers,
      allow,
      skipTrust,
      extraArgs,
    } = this.#options
    const parts = [context, prompt, format?.instruction].filter((part) => part !== undefined && part !== '')
    return defined({
      prompt: encodePrompt(parts.join('\n\n'), promptKind ?? 'text', {
        title: this.#agent.title,
        escapes: this.#agent.headless?.escapes,
      }),
      mode: this.#start?.request,
      model,
      effort,
      sessionId,
      resume: earlier ?? (resume === true ? 'latest' : resume),
      media: media?.files,
      fork,
      systemPrompt,
      mcpServers,
      allow,
      skipTrust,
      extraArgs,
    })
  }

  #askAgain(problem: string, format: OutputFormat): HeadlessRequest {
    const { sessionId: _, fork: __, ...request } = this.#request(undefined, undefined, undefined)
    return {
      ...request,
      prompt: `Your answer could not be read:\n${problem}\n\n${format.instruction}`,
      resume: this.#collector.sessionId,
    }
  }

  #shellResults({ place }: Found): ShellResults | undefined {
    const { headless } = this.#agent
    if (!headless?.shellStatuses) return undefined
    return new ShellResults(
      (calls) => headless.shellStatuses!(place, this.#maker.session, calls),
      this.#stop.signal,
    )
  }

  /** The tokens of one start, for agents whose output does not have them. */
  async *#usage({ place }: Found, since: number): AsyncGenerator<Event[], void, void> {
    const models = await this.#agent.headless!.readUsage?.(place, this.#maker.session, since)
    if (!models || Object.keys(models).length === 0) return
    const usage = Object.values(models).reduce(addUsage)
    const entity = `${this.#maker.source}/${this.#attempts}`
    this.#maker.next()
    yield* this.#pass([this.#maker.make({ type: 'usage', entity, scope: 'run', usage, models })])
  }

  async *#through<T>(
    batches: AsyncGenerator<Event[], T, void>,
    results?: ShellResults,
  ): AsyncGenerator<Event[], T, void> {
    for (;;) {
      const next = await batches.next()
      if (next.done) {
        const rest = (await results?.rest()) ?? []
        this.#maker.next()
        if (rest.length > 0) yield* this.#pass(rest.map((fields) => this.#maker.make(fields)))
        return next.value
      }
      try {
        yield* this.#pass((await results?.correct(next.value)) ?? next.value)
      } catch (error) {
        await batches.return(undefined as T)
        throw error
      }
    }
  }

  /** Emits events: one `session` first, and each event to the sink before the consumer. */
  async *#pass(events: readonly Event[]): AsyncGenerator<Event[], void, void> {
    const { sink } = this.#options
    const batch: Event[] = []
    for (const event of events) {
      if (event.type === 'session') {
        this.#named = true
        if (this.#opened) continue
      } else if (!this.#opened) batch.push(this.#maker.make({ type: 'session', entity: this.#maker.session }))
      batch.push(event)
      if (!this.#opened && event.type === 'session' && !events.some(isMode)) batch.push(...this.#mode())
      this.#opened = true
    }
    for (const event of batch) {
      this.#collector.add(event)
      // Skip a sink that has failed, so that the run can still finish.
      if (!sink || this.#sinkFailed) continue
      try {
        const written = sink.write(event)
        if (written) await written
      } catch (error) {
        this.#sinkFailed = true
        throw error
      }
    }
    if (batch.length > 0) yield batch
  }

  /** The mode event, for agents whose output does not contain the mode. */
  #mode(): Event[] {
    if (!this.#start) return []
    const { session: entity } = this.#maker
    return [this.#maker.make({ type: 'status', entity, status: 'mode', value: this.#start.mode })]
  }

  async *#close(
    failure: RunFailure | undefined,
    end: AttemptEnd | undefined,
  ): AsyncGenerator<Event[], void, void> {
    this.#maker.next()
    const entity = this.#maker.source
    const events: Event[] = this.#problems.map((problem, index) =>
      this.#maker.make({
        type: 'error',
        entity: `${entity}/problem/${index}`,
        code: 'unknown',
        severity: 'warning',
        message: problem.message,
        hint: problem.hint,
      }),
    )
    if (failure)
      events.push(
        this.#maker.make({ type: 'error', entity: `${entity}/error`, severity: 'error', ...failure }),
      )
    const stopReason = failure?.code === 'aborted' ? 'cancelled' : end?.outcome.stopReason
    events.push(
      this.#maker.make({ type: 'done', entity, ok: !failure, ...(stopReason ? { stopReason } : {}) }),
    )
    yield* this.#pass(events)
  }
}

function isMode(event: Event): boolean {
  return event.type === 'status' && event.status === 'mode'
}

/** Converts a failed attempt to a run failure by the CLI's own error. */
function toFailure({ outcome, exit, stderr }: AttemptEnd): RunFailure {
  const failure = outcome.failure ?? {
    message:
      stderr.trim().split('\n').at(-1) ||
      `The agent ended with ${exit.signal ?? `code ${exit.code}`} and without output`,
  }
  const { code, hint, retryable } = classifyError(failure)
  if (code === 'unknown' && exit.signal)
    return { code: 'crashed', message: `The agent was ended by ${exit.signal}`, hint, retryable: false }
  if (code === 'unknown' && !outcome.failure)
    return { code: 'crashed', message: failure.message, hint, retryable: false }
  return { code, message: failure.message, hint, retryable }
}

/** Exponential backoff up to 30 s, with jitter so that many runs do not retry at once. */
export function getBackoff(attempts: number, baseMs: number): number {
  return Math.round(Math.min(30_000, baseMs * 2 ** (attempts - 1)) * (0.5 + Math.random() / 2))
}

/**
 * Runs an agent once. A failure of the agent is an event and a result that is not ok; only invalid options throw.
 *
 * @example
 * const run = startRun(gemini, { prompt: 'What is in this folder?' })
 * for await (const event of run) if (event.type === 'text') process.stdout.write(event.text)
 * const { ok, usage } = await run.result
 */
export function startRun(agent: Agent, options: RunOptions): Run {
  checkOptions(options)
  const id = randomUUID()
  const stop = new Stop()
  return new BatchedRun(id, stop, new HeadlessRun(id, agent, options, stop).batches())
}

/**
 * Wraps a reader so that it never throws: a line that makes the agent's reader throw becomes `unknown`.
 *
 * @example guardReader(maker, agent.headless.reader(maker, request))
 */
export function guardReader(maker: EventMaker, reader: HeadlessReader): HeadlessReader {
  const guard =
    (read: (line: string) => Event[]) =>
    (line: string): Event[] => {
      try {
        return read(line)
      } catch (error) {
        maker.next()
        return [makeUnreadable(maker, line, error)]
      }
    }
  return {
    read: guard((line) => reader.read(line)),
    readError: guard((line) => reader.readError?.(line) ?? []),
    findStopReason: () => reader.findStopReason?.(),
    end: (exit, stderr) => reader.end(exit, stderr),
  }
}

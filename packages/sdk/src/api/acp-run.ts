import { randomUUID } from 'node:crypto'
import { homedir } from 'node:os'
import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type Event,
  type EventOf,
  type ModeLike,
  RemoraError,
  findMode,
  toModeLike,
} from '@remora/protocol/plain'
import type { Connection } from '../channels/acp/connection.ts'
import type { OpenOptions, PromptContent } from '../channels/acp/options.ts'
import type { Permissions } from '../channels/acp/permissions/rules.ts'
import type { Session } from '../channels/acp/session.ts'
import { Conversations } from '../channels/headless/conversations.ts'
import { Deadlines } from '../channels/headless/deadlines.ts'
import { getBackoff } from '../channels/headless/headless-run.ts'
import { type MediaFiles, prepareMedia } from '../channels/headless/media.ts'
import { type RunOptions, checkOptions } from '../channels/headless/options.ts'
import type { Agent } from '../contract/agent.ts'
import { type EventFields, EventMaker } from '../events/event-maker.ts'
import { defined } from '../events/fields.ts'
import { type OutputFormat, outputFormat } from '../runs/read-output.ts'
import { Collector, type RunFailure, type RunResult, toRunFailure } from '../runs/result.ts'
import { BatchedRun, type Run } from '../runs/run.ts'
import { Stop } from '../runs/stop.ts'
import { createUnsupportedError } from '../versions/version.ts'
import { connect } from './connect.ts'

/**
 * Runs an agent once over ACP, with the options, events and result of a headless run. For agents without a headless part.
 *
 * @example const { text } = await startAcpRun(agent, { prompt: 'What is in this folder?' }).result
 */
export function startAcpRun(agent: Agent, options: RunOptions): Run {
  checkOptions(options)
  const stop = new Stop()
  const run = new AcpRun(agent, options, stop)
  return new BatchedRun(run.id, stop, run.batches())
}

/** Options that only a command line can express. */
const unsupported = ['effort', 'sessionId', 'systemPrompt', 'allow', 'extraArgs', 'keys'] as const

class AcpRun {
  readonly id = randomUUID()
  readonly #agent: Agent
  readonly #options: RunOptions
  readonly #stop: Stop
  readonly #collector = new Collector()
  readonly #began = Date.now()
  #connection: Connection | undefined
  #session: Session | undefined
  #opened = false
  #ended: EventOf<'done'> | undefined
  /** Whether the agent has reported the failure itself. */
  #reported = false
  #last: RunResult | undefined
  #stderr = ''

  constructor(agent: Agent, options: RunOptions, stop: Stop) {
    this.#agent = agent
    this.#options = options
    this.#stop = stop
  }

  async *batches(): AsyncGenerator<Event[], RunResult, void> {
    const { signal, output, conversation, media: attached, timeouts = {} } = this.#options
    const forward = (): void =>
      void this.#stop.now(new RemoraError('aborted', 'The run was cancelled', { cause: signal?.reason }))
    if (signal?.aborted) forward()
    signal?.addEventListener('abort', forward)
    const forget = new Deadlines(timeouts).onTotal((late) => void this.#stop.now(late))
    let failure: RunFailure | undefined
    let data: { value: unknown } | undefined
    let media: MediaFiles | undefined
    const conversations = new Conversations(this.#place())
    try {
      this.#checkSupported()
      const format = output === undefined ? undefined : outputFormat(output)
      media = attached && (await prepareMedia(attached, this.#place().cwd))
      const earlier =
        conversation === undefined ? undefined : await conversations.find(this.#agent.id, conversation)
      failure = yield* this.#untilDone(this.#content(format, media), earlier)
      if (!failure && format) {
        let answer = format.read(this.#collector.text)
        if ('problem' in answer) {
          this.#collector.newTurn({ ok: true, turns: 1 })
          failure = yield* this.#prompt(
            `Your answer could not be read:\n${answer.problem}\n\n${format.instruction}`,
          )
          answer = format.read(this.#collector.text)
        }
        if (failure) data = undefined
        else if ('value' in answer) data = answer
        else
          failure = {
            code: 'unknown',
            message: `The answer does not match the schema: ${answer.problem}`,
            hint: 'The answer is in result.text. A simpler schema, or a stronger model, may help.',
            retryable: false,
          }
      }
    } catch (error) {
      failure = toRunFailure(error, this.#stop.signal)
    } finally {
      signal?.removeEventListener('abort', forward)
      forget()
      await this.#disconnect()
      await media?.remove()
    }
    if (conversation !== undefined && this.#collector.sessionId !== '' && (!failure || this.#collector.spoke))
      await conversations.set(this.#agent.id, conversation, this.#collector.sessionId)
    yield* this.#close(failure)
    const stopReason = failure?.code === 'aborted' ? 'cancelled' : this.#last?.stopReason
    return this.#collector.result({
      durationMs: Date.now() - this.#began,
      outcome: defined({
        ok: !failure,
        turns: 1,
        permissionDenials: this.#last?.permissionDenials,
        stopReason,
      }),
      stderr: this.#stderr,
      error: failure,
      data,
    })
  }

  #checkSupported(): void {
    const option = unsupported.find((name) => this.#options[name]?.length)
    if (option !== undefined)
      throw createUnsupportedError(
        this.#agent.title,
        `the option ${option}`,
        'It runs over ACP, which has no such option.',
      )
  }

  /** Starts the agent and sends the prompt; retries temporary failures until the agent has produced something. */
  async *#untilDone(
    content: PromptContent,
    earlier: string | undefined,
  ): AsyncGenerator<Event[], RunFailure | undefined, void> {
    const { retry = { attempts: 1 } } = this.#options
    for (let attempt = 1; ; attempt++) {
      let failure: RunFailure | undefined
      try {
        await this.#open(earlier)
        failure = yield* this.#prompt(content)
      } catch (error) {
        if (this.#stop.stopped) throw error
        failure = toRunFailure(error, this.#stop.signal)
      }
      if (!failure?.retryable || this.#collector.spoke || attempt >= retry.attempts) return failure
      const waitMs = getBackoff(attempt, retry.baseMs ?? 1_000)
      yield* this.#emit({
        type: 'status',
        entity: this.id,
        status: 'retrying',
        detail: failure.message,
        value: { attempt, waitMs, code: failure.code },
      })
      this.#collector.restart()
      this.#ended = undefined
      this.#reported = false
      await this.#disconnect()
      await sleep(waitMs, undefined, { signal: this.#stop.signal }).catch(() => this.#stop.throwIfStopped())
    }
  }

  async #open(earlier: string | undefined): Promise<void> {
    const { env, mode, model, sink, timeouts = {}, resume, fork, mcpServers } = this.#options
    const { cwd } = this.#place()
    const { signal } = this.#stop
    this.#connection = await connect(this.#agent, {
      permissions: toPermissions(this.#like),
      cwd,
      signal,
      ...defined({ env, mode, model, sink, startupTimeout: timeouts.startup }),
      ...(timeouts.idle === undefined ? {} : { stuck: { afterMs: timeouts.idle, act: 'cancel' } }),
    })
    const options: OpenOptions = {
      cwd,
      signal,
      structuredOutput: false,
      ...defined({ mode, model, fork, mcpServers, resume: earlier ?? (resume === true ? 'latest' : resume) }),
    }
    try {
      this.#session = await this.#connection.open(options)
    } catch (error) {
      // An agent without such a mode asks for permission instead, and the answers of this run follow the mode.
      const isGranted = this.#like === 'bypass' || this.#like === 'acceptEdits'
      if (!isGranted || !RemoraError.is(error) || error.code !== 'unsupported') throw error
      this.#session = await this.#connection.open({ ...options, mode: 'default' })
    }
  }

  async *#prompt(content: PromptContent): AsyncGenerator<Event[], RunFailure | undefined, void> {
    const { promptKind: kind } = this.#options
    const prompt = this.#session!.prompt(content, { signal: this.#stop.signal, ...defined({ kind }) })
    for await (const event of prompt) {
      const isFailure = event.type === 'error' && event.severity === 'error'
      // A stopped run reports why it was stopped, not that its turn was cancelled.
      if (isFailure && this.#stop.stopped) continue
      if (isFailure) this.#reported = true
      if (event.type === 'done') this.#ended = event
      else if (event.type !== 'session' || !this.#opened) yield this.#pass(event)
    }
    this.#last = await prompt.result
    this.#stop.throwIfStopped()
    return this.#last.error
  }

  /** What the requested mode is like. */
  get #like(): ModeLike | undefined {
    const { mode } = this.#options
    return findMode(this.#agent.modes ?? [], mode)?.like ?? toModeLike(mode)
  }

  #content(format: OutputFormat | undefined, media: MediaFiles | undefined): PromptContent {
    const { context, prompt } = this.#options
    const text = [context, prompt, format?.instruction].filter(Boolean).join('\n\n')
    if (!media) return text
    const files = media.files.map(({ path, mediaType }) => ({ type: 'file' as const, path, mediaType }))
    return [{ type: 'text', text }, ...files]
  }

  #place(): { env: NodeJS.ProcessEnv; home: string; cwd: string } {
    const { env = {}, cwd = process.cwd() } = this.#options
    return { env: { ...process.env, ...env }, home: env['HOME'] ?? homedir(), cwd: resolve(cwd) }
  }

  async #disconnect(): Promise<void> {
    await this.#connection?.close().catch(() => {})
    this.#stderr = this.#connection?.stderr ?? this.#stderr
    this.#connection = undefined
    this.#session = undefined
  }

  #pass(event: Event): Event[] {
    this.#opened = true
    this.#collector.add(event)
    return [event]
  }

  /** Ends the run with one `done`: that of the agent, or one of ours after a failure that the agent did not report. */
  async *#close(failure: RunFailure | undefined): AsyncGenerator<Event[], void, void> {
    if (failure && !this.#reported)
      yield* this.#emit({ type: 'error', entity: `${this.id}/error`, severity: 'error', ...failure })
    if (this.#ended?.ok === !failure) {
      yield this.#pass(this.#ended)
      return
    }
    const stopReason = failure?.code === 'aborted' ? 'cancelled' : undefined
    yield* this.#emit({ type: 'done', entity: this.id, ok: !failure, ...defined({ stopReason }) })
  }

  async *#emit(fields: EventFields): AsyncGenerator<Event[], void, void> {
    const session = this.#collector.sessionId
    const maker = new EventMaker({ agent: this.#agent.id, channel: 'acp', source: this.id, session })
    maker.next(undefined, randomUUID())
    if (!this.#opened) yield this.#pass(maker.make({ type: 'session', entity: session }))
    const event = maker.make(fields)
    // Without a session there is nothing to record.
    if (session !== '') await this.#options.sink?.write(event)
    yield this.#pass(event)
  }
}

/** No user answers in a run, so the mode decides about every permission request. */
function toPermissions(like: ModeLike | undefined): Permissions {
  if (like === 'bypass') return 'allow'
  const rules = like === 'acceptEdits' ? [{ decide: 'allow' as const, kind: 'edit', path: '**' }] : []
  // Rules instead of `deny`, which would refuse modes that decide by themselves.
  return { rules, otherwise: 'deny' }
}

import { fold, totalUsage } from '@remora/protocol/fold'
import {
  addUsage,
  type ErrorCode,
  type Event,
  type Message,
  RemoraError,
  type ToolStatus,
  type Usage,
} from '@remora/protocol/plain'
import type { Outcome } from '../contract/agent.ts'
import { findOwn } from '../events/fields.ts'
import type { Exit } from '../process/spawn-tree.ts'

/** The result of a run. */
export interface RunResult<Data = unknown> {
  readonly ok: boolean
  /** The answer: the agent's last text. */
  readonly text: string
  readonly messages: readonly Message[]
  /** Whether `messages` and `text` are incomplete because of their size. */
  readonly truncated: boolean
  readonly sessionId: string
  readonly model?: string
  /** The permission mode: one of ours, or the agent's own name of another. */
  readonly mode?: string
  readonly usage: Usage & { readonly models?: Readonly<Record<string, Usage>> }
  readonly durationMs: number
  readonly apiDurationMs?: number
  readonly turns: number
  readonly toolCalls: number
  readonly costUsd?: number
  readonly permissionDenials: readonly unknown[]
  readonly stopReason?: string
  readonly error?: RunFailure
  readonly exitCode: number | null
  readonly signal: NodeJS.Signals | null
  readonly stderr: string
  /** The answer as a value, if `output` was requested. */
  readonly data?: Data
}

/** Why a run failed. */
export interface RunFailure {
  readonly code: ErrorCode
  readonly message: string
  readonly hint?: string
  readonly retryable: boolean
}

/** The maximum size of the messages, in characters of text and JSON. */
const keptLimit = 8 * 1024 * 1024

/** Collects what the result needs from the events of a run. */
export class Collector {
  readonly #kept: Event[] = []
  #size = 0
  #truncated = false
  /** The text since the last tool call, by entity. */
  #answer = new Map<string, string>()
  #answerSize = 0
  #afterTool = false
  #steps = 0
  #tools = new Set<string>()
  readonly #results = new Map<string, ToolStatus>()
  #model: string | undefined
  #mode: string | undefined
  /** The total usage of each start of the agent. */
  readonly #runs = new Map<string, Extract<Event, { type: 'usage' }>>()
  readonly #earlier: Outcome[] = []
  /** Whether any usage was reported. */
  #spent = false
  sessionId = ''
  /** Whether the agent has produced anything, so that the run can no longer be retried. */
  spoke = false

  add(event: Event): void {
    this.sessionId = event.session
    switch (event.type) {
      case 'session':
        this.#model = event.model
        break
      case 'status':
        if (event.status === 'mode' && typeof event.value === 'string') this.#mode = event.value
        break
      case 'text':
        this.spoke = true
        this.#say(event)
        break
      case 'thinking':
        this.spoke = true
        break
      case 'tool_use':
        this.spoke = true
        this.#tools.add(event.entity)
        this.#afterTool = true
        break
      case 'message':
        if (event.role === 'assistant') this.#model = event.model ?? this.#model
        break
      case 'tool_result':
        this.#results.set(event.entity, event.status)
        break
      case 'usage':
        this.#spent = true
        if (event.scope === 'run') this.#runs.set(event.entity, event)
        break
      default:
        break
    }
    this.#keep(event)
  }

  /** Begins the answer to another prompt, sent to a new start of the agent. */
  newTurn(outcome: Outcome): void {
    this.#earlier.push(outcome)
    this.#forget()
  }

  /** Resets the turn, because the agent is started again before it has answered. */
  restart(): void {
    this.#kept.length = 0
    this.#size = 0
  }

  /** The status of a call, if it has ended. */
  getStatus(call: string): ToolStatus | undefined {
    return this.#results.get(call)
  }

  get text(): string {
    return [...this.#answer.values()].filter((piece) => piece !== '').join('\n')
  }

  result(end: {
    durationMs: number
    outcome?: Outcome | undefined
    exit?: Exit | undefined
    stderr: string
    error?: RunFailure | undefined
    data?: { value: unknown } | undefined
  }): RunResult {
    const { outcome, exit, error } = end
    const runs = [...this.#runs.values()]
    const usage =
      runs.length > 0
        ? runs.map((run) => run.usage).reduce(addUsage)
        : this.#spent
          ? totalUsage(this.#kept)
          : {}
    const models = sumModels(runs)
    const kept = this.#kept
    let messages: readonly Message[] | undefined
    const outcomes = [...this.#earlier, ...(outcome ? [outcome] : [])]
    const apiDurationMs = sum(outcomes.map((each) => each.apiDurationMs))
    const cost = sum(runs.map((run) => run.costUsd)) ?? sum(outcomes.map((each) => each.costUsd))
    return {
      ok: error === undefined,
      text: this.text,
      // Folded on first access: most callers need only the answer, and folding costs more than the rest of a short run.
      get messages() {
        return (messages ??= fold(kept))
      },
      truncated: this.#truncated,
      sessionId: this.sessionId,
      ...(this.#model === undefined ? {} : { model: this.#model }),
      ...(this.#mode === undefined ? {} : { mode: this.#mode }),
      usage: { ...usage, ...(models ? { models } : {}) },
      durationMs: end.durationMs,
      ...(apiDurationMs === undefined ? {} : { apiDurationMs }),
      turns: sum(outcomes.map((each) => each.turns)) ?? this.#steps,
      toolCalls: this.#tools.size,
      ...(cost === undefined ? {} : { costUsd: cost }),
      permissionDenials: outcomes.flatMap((each) => each.permissionDenials ?? []),
      ...(outcome?.stopReason === undefined ? {} : { stopReason: outcome.stopReason }),
      ...(error ? { error } : {}),
      exitCode: exit?.code ?? null,
      signal: exit?.signal ?? null,
      stderr: end.stderr,
      ...(end.data ? { data: end.data.value } : {}),
    }
  }

  /** The answer is the text after the last tool call. */
  #say({ entity, offset, text, final }: Extract<Event, { type: 'text' }>): void {
    if (this.#afterTool || this.#steps === 0) {
      this.#steps++
      this.#forget()
    }
    this.#afterTool = false
    // A huge answer must not fill the memory of a caller that only forwards events.
    if (this.#answerSize > keptLimit) {
      this.#truncated = true
      return
    }
    const before = this.#answer.get(entity) ?? ''
    const end = offset + text.length
    // A piece nearly always continues the text; only a record that repeats its text overwrites it.
    const after =
      offset >= before.length
        ? before + text
        : before.slice(0, offset) + text + (final ? '' : before.slice(end))
    this.#answer.set(entity, after)
    this.#answerSize += after.length - before.length
  }

  #forget(): void {
    this.#answer.clear()
    this.#answerSize = 0
  }

  #keep(event: Event): void {
    // Usage is small and must be complete even if messages are dropped.
    if (this.#truncated && event.type !== 'usage') return
    const { raw: _, ...bare } = event
    const last = this.#kept.at(-1)
    // Consecutive deltas are merged, so that a long answer does not take an object per token.
    if (
      bare.type === 'text' &&
      last?.type === 'text' &&
      last.entity === bare.entity &&
      bare.offset === last.offset + last.text.length
    ) {
      last.text += bare.text
      if (bare.final) last.final = true
      this.#size += bare.text.length
    } else {
      this.#kept.push(bare as Event)
      this.#size += weight(bare as Event)
    }
    this.#truncated = this.#size > keptLimit
  }
}

/** Sums the known values; undefined if there are none. */
function sum(values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined)
  return known.length === 0 ? undefined : known.reduce((left, right) => left + right)
}

function sumModels(runs: readonly Extract<Event, { type: 'usage' }>[]): Record<string, Usage> | undefined {
  const models: Record<string, Usage> = {}
  for (const run of runs)
    for (const [name, usage] of Object.entries(run.models ?? {}))
      models[name] = addUsage(findOwn(models, name) ?? {}, usage)
  return Object.keys(models).length === 0 ? undefined : models
}

function weight(event: Event): number {
  if (event.type === 'text' || event.type === 'thinking') return 100 + event.text.length
  if (event.type === 'message' && (event.content ?? []).every((block) => block.type === 'text'))
    return (event.content ?? []).reduce(
      (sum, block) => sum + (block.type === 'text' ? block.text.length : 0),
      100,
    )
  if (event.type === 'tool_use' || event.type === 'tool_result' || event.type === 'message')
    return 100 + JSON.stringify(event).length
  return 100
}

/** Converts the error that ended a run, or the reason why it was stopped. */
export function toRunFailure(error: unknown, signal: AbortSignal): RunFailure {
  const cause = signal.aborted ? (signal.reason as unknown) : error
  if (RemoraError.is(cause))
    return {
      code: cause.code,
      message: cause.message,
      ...(cause.hint ? { hint: cause.hint } : {}),
      retryable: false,
    }
  return {
    code: 'unknown',
    message: cause instanceof Error ? cause.message : String(cause),
    retryable: false,
  }
}

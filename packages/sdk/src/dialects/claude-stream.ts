import type { Event, ToolOutput } from '@remora/protocol/plain'
import type { HeadlessReader, HeadlessRequest, Outcome } from '../contract/agent.ts'
import { classifyError } from '../events/classify-error.ts'
import { type EventFields, type EventMaker, parseTime } from '../events/event-maker.ts'
import { asCount, defined, asRecord, asString } from '../events/fields.ts'
import { type AgentRecord, readRecord } from '../events/read-record.ts'
import { toPromptBlocks } from './prompt-blocks.ts'
import {
  type ClaudeDialect,
  isToolResult,
  toToolResult,
  toToolUse,
  asAmount,
  toMessageUsage,
  toModelUsage,
  toPromptContent,
} from './claude-content.ts'
import { WrittenMessages } from './claude-messages.ts'

/** What differs between the agents that print Claude's stream-json. */
export interface ClaudeStreamDialect extends ClaudeDialect {
  /** The field of `init` with the CLI's version. */
  readonly versionField: string
  /** Reads the actual mode of the run, which the user's settings may have changed, from `init`. */
  toMode(init: AgentRecord): string | undefined
  /** Stream events that only show the CLI's own state. */
  readonly stateEvents?: ReadonlySet<string>
  /** An error that the CLI writes as a text of the model; its first group is the message. */
  readonly failureText?: RegExp
}

/**
 * Creates a reader of stream-json with partial messages: system, stream_event, assistant, user, result.
 *
 * @example const reader = createStreamReader({ ...dialect, versionField: 'claude_code_version', toMode })
 */
export function createStreamReader(dialect: ClaudeStreamDialect) {
  return (maker: EventMaker, request: HeadlessRequest): HeadlessReader =>
    new StreamReader(maker, request, dialect)
}

class StreamReader implements HeadlessReader {
  readonly #maker: EventMaker
  readonly #request: HeadlessRequest
  readonly #dialect: ClaudeStreamDialect
  readonly #run: string
  readonly #messages = new WrittenMessages()
  readonly #failedCalls = new Map<string, ToolOutput | undefined>()
  readonly #forbidden = new Set<string>()
  #opened = false
  #held: AgentRecord[] = []
  #users = 0
  #apiError: string | undefined
  /** The error that the CLI wrote as a text of the model. */
  #failure: { readonly text: string; readonly message: string } | undefined
  #result: AgentRecord | undefined

  constructor(maker: EventMaker, request: HeadlessRequest, dialect: ClaudeStreamDialect) {
    this.#maker = maker
    this.#request = request
    this.#dialect = dialect
    // A run may start the CLI several times; each start has a prompt of its own.
    this.#run = `${maker.source}/${maker.started()}`
  }

  read(line: string): Event[] {
    return readRecord(this.#maker, line, (record) => {
      this.#maker.next(parseTime(record['timestamp']))
      const opening = this.#open(record)
      if (!opening) return []
      return [...opening, ...this.#events(record, opening.length > 0)]
    })
  }

  /** A `result` that is no error is success, whatever its subtype says, unless a limit stopped the run. */
  end(exit: { code: number | null }, stderr: string): Outcome {
    const result = this.#result
    if (!result) return { ok: false, failure: { message: getReason(this.#dialect.title, exit.code, stderr) } }
    const details = defined({
      stopReason: asString(result['stop_reason']),
      turns: asCount(result['num_turns']),
      apiDurationMs: asCount(result['duration_api_ms']),
      costUsd: asAmount(result['total_cost_usd']),
      permissionDenials: Array.isArray(result['permission_denials'])
        ? (result['permission_denials'] as unknown[])
        : undefined,
    })
    const limit = asString(result['subtype'])?.startsWith('error_max_') === true
    if (result['is_error'] === false && !limit) return { ok: true, ...details }
    const errors = Array.isArray(result['errors'])
      ? result['errors'].filter((each) => typeof each === 'string')
      : []
    const message =
      asString(result['result']) ||
      errors.join('; ') ||
      this.#failure?.message ||
      `The run ended with ${asString(result['subtype'])}`
    const status = asCount(result['api_error_status'])
    return { ok: false, failure: defined({ message, status, type: this.#apiError }), ...details }
  }

  /**
   * Emits the session first, with the fields of `init`. Records of hooks that ran before `init` are held back: for
   * those it returns undefined.
   */
  #open(record: AgentRecord): Event[] | undefined {
    const id = asString(record['session_id'])
    if (this.#opened || id === undefined) return []
    // A fork has a new id, so the CLI's id is used, not the request's.
    this.#maker.session = id
    if (isHook(record)) {
      this.#held.push(record)
      return undefined
    }
    this.#opened = true
    const init = record['subtype'] === 'init'
    const fields: EventFields[] = [
      {
        type: 'session',
        entity: id,
        ...(init ? toSessionDetails(record, this.#dialect.versionField) : {}),
        ...(this.#request.resume === undefined ? {} : { resumed: true }),
        ...(init ? { raw: record } : {}),
      },
      ...this.#mode(id, record),
      {
        type: 'message',
        entity: `${this.#run}/prompt`,
        role: 'user',
        content: toPromptBlocks(this.#request),
      },
    ]
    const held = this.#held
    this.#held = []
    return [
      ...fields.map((each) => this.#maker.make(each)),
      ...held.flatMap((each) => this.#events(each, false)),
    ]
  }

  #mode(session: string, init: AgentRecord): EventFields[] {
    const value = this.#dialect.toMode(init)
    return value === undefined ? [] : [{ type: 'status', entity: session, status: 'mode', value }]
  }

  #events(record: AgentRecord, first: boolean): Event[] {
    if (first && record['subtype'] === 'init') return []
    const parent = asString(record['parent_tool_use_id'])
    const fields = this.#fields(record, parent ?? '')
    if (fields === undefined || (fields.length === 0 && record['type'] !== 'stream_event'))
      return [this.#unknown(record)]
    return fields.map((each, index) =>
      this.#maker.make({
        ...each,
        ...(parent === undefined ? {} : { parent }),
        ...(index === 0 ? { raw: record } : {}),
      }),
    )
  }

  #unknown(record: AgentRecord): Event {
    const event = asRecord(record['event'])
    const names = [record['type'], record['subtype'] ?? event?.['type']]
    const what = names.filter((name) => typeof name === 'string').join('/') || 'record'
    const entity = `${this.#run}/unknown/${what}`
    return this.#maker.make({ type: 'unknown', entity, what, raw: record })
  }

  #fields(record: AgentRecord, parent: string): EventFields[] | undefined {
    switch (record['type']) {
      case 'system':
        return record['subtype'] === 'permission_denied'
          ? this.#forbid(record)
          : toSystemFields(record, this.#run)
      case 'rate_limit_event':
        return toRateLimitFields(record, this.#run)
      case 'stream_event': {
        const event = asRecord(record['event']) ?? {}
        const isState = this.#dialect.stateEvents?.has(asString(event['type']) ?? '') === true
        // Such an error is one piece, which the complete message repeats.
        const failure = this.#findFailure(asString(asRecord(event['delta'])?.['text']))
        return isState || failure !== undefined ? [] : this.#messages.stream(event, parent)
      }
      case 'assistant':
        return this.#assistant(record, parent)
      case 'user':
        return this.#user(record, parent)
      case 'result':
        return this.#finish(record)
      default:
        return undefined
    }
  }

  #assistant(record: AgentRecord, parent: string): EventFields[] | undefined {
    const message = asRecord(record['message'])
    const own = asString(message?.['id'])
    if (!message || own === undefined || !Array.isArray(message['content'])) return undefined
    const error = asString(record['error'])
    if (error !== undefined) return this.#refused(error, toPromptContent(message['content']))
    const id = this.#messages.find(own, parent)
    const fields = this.#messages.has(id) ? [] : this.#messages.begin(id, message)
    for (const block of message['content'] as unknown[]) {
      const text = asString(asRecord(block)?.['text'])
      this.#findFailure(text)
      // The error follows the text that was streamed before it.
      const isFailure = this.#failure !== undefined && text?.endsWith(this.#failure.text) === true
      const answer = isFailure ? text.slice(0, -this.#failure!.text.length) : undefined
      if (isFailure) fields.push(...this.#remark(this.#failure!.message))
      if (answer === '') continue
      const known = this.#block(
        answer === undefined ? (asRecord(block) ?? {}) : { type: 'text', text: answer },
        id,
      )
      fields.push(known ?? { type: 'unknown', entity: `${id}/unknown`, what: 'assistant/block', raw: block })
    }
    return fields
  }

  /** The CLI writes an API error as a message of the assistant; it is no answer. */
  #refused(type: string, content: ReturnType<typeof toPromptContent>): EventFields[] {
    this.#apiError = type
    const message = content.map((block) => (block.type === 'text' ? block.text : '')).join('\n') || type
    return this.#remark(message, type)
  }

  #remark(message: string, type?: string): EventFields[] {
    const { code } = classifyError({ message, type })
    return [{ type: 'error', entity: `${this.#run}/remark/${message}`, code, severity: 'warning', message }]
  }

  #findFailure(text: string | undefined): string | undefined {
    const message = text === undefined ? undefined : this.#dialect.failureText?.exec(text)?.[1]
    if (message !== undefined) this.#failure = { text: text!, message }
    return message
  }

  #block(block: AgentRecord, id: string): EventFields | undefined {
    const kind = block['type']
    if (kind === 'text' || kind === 'thinking') {
      const text = asString(block[kind])
      return text === undefined ? undefined : this.#messages.finish(kind, text, id)
    }
    return (
      toToolUse(block, id, this.#dialect) ??
      (isToolResult(block) ? this.#toolResult(block, undefined) : undefined)
    )
  }

  #user(record: AgentRecord, parent: string): EventFields[] | undefined {
    const content = asRecord(record['message'])?.['content']
    const blocks = Array.isArray(content) ? (content as unknown[]) : []
    const results = blocks.filter(isToolResult).map(asRecord)
    const fields = results.flatMap((block) => this.#toolResult(block!, record['tool_use_result']) ?? [])
    const rest = typeof content === 'string' ? content : blocks.filter((block) => !isToolResult(block))
    if (rest.length === 0) return fields
    const entity = asString(record['uuid']) ?? `${this.#run}/user/${this.#users++}`
    // Outside of a sub-agent, a user record is a remark of the CLI, not a prompt.
    const context = parent === '' ? { context: true as const } : {}
    return [...fields, { type: 'message', entity, role: 'user', content: toPromptContent(rest), ...context }]
  }

  #toolResult(block: AgentRecord, display: unknown): EventFields | undefined {
    const result = toToolResult(block, display, this.#dialect)
    if (result?.status !== 'error') return result
    if (this.#forbidden.has(result.entity)) return { ...result, status: 'denied' }
    this.#failedCalls.set(result.entity, result.content)
    return result
  }

  /** This record precedes the call's result, which does not say why the call failed. */
  #forbid(record: AgentRecord): EventFields[] | undefined {
    const entity = asString(record['tool_use_id'])
    if (entity === undefined) return undefined
    this.#forbidden.add(entity)
    const content = asString(record['message'])
    return [{ type: 'tool_result', entity, status: 'denied', ...(content === undefined ? {} : { content }) }]
  }

  #finish(record: AgentRecord): EventFields[] {
    this.#result = record
    const usage = asRecord(record['usage'])
    const cost = asAmount(record['total_cost_usd'])
    const models = Object.entries(asRecord(record['modelUsage']) ?? {}).map(
      ([name, value]) => [name, toModelUsage(asRecord(value) ?? {})] as const,
    )
    const total: EventFields = usage
      ? {
          type: 'usage',
          entity: this.#run,
          scope: 'run',
          usage: toMessageUsage(usage),
          ...(models.length > 0 ? { models: Object.fromEntries(models) } : {}),
          ...(cost === undefined ? {} : { costUsd: cost }),
        }
      : { type: 'status', entity: this.#run, status: 'idle' }
    return [total, ...this.#denied(record['permission_denials'])]
  }

  /** The final list of denials is more reliable than the text of a failed call. */
  #denied(denials: unknown): EventFields[] {
    const ids = Array.isArray(denials) ? denials.map((each) => asString(asRecord(each)?.['tool_use_id'])) : []
    return ids.flatMap((entity) => {
      if (entity === undefined || !this.#failedCalls.has(entity)) return []
      const content = this.#failedCalls.get(entity)
      return [
        {
          type: 'tool_result',
          entity,
          status: 'denied',
          ...(content === undefined ? {} : { content }),
        } as const,
      ]
    })
  }
}

function isHook(record: AgentRecord): boolean {
  return record['type'] === 'system' && asString(record['subtype'])?.startsWith('hook_') === true
}

function toSessionDetails(init: AgentRecord, versionField: string) {
  return defined({
    cwd: asString(init['cwd']),
    model: asString(init['model']),
    version: asString(init[versionField]),
  })
}

/** Without a `result`, the last line of stderr has the reason. */
function getReason(title: string, code: number | null, stderr: string): string {
  const reason = stderr
    .split('\n')
    .map((line) => line.trim())
    .findLast((line) => line !== '' && !/^at |^\}|^Warning/.test(line))
  return reason?.replace(/^Error: /, '') ?? `${title} ended with code ${code} before it gave a result`
}

/** Reads the CLI's status records: retries, compaction, hooks, tasks. Undefined for an unknown subtype. */
function toSystemFields(record: AgentRecord, run: string): EventFields[] | undefined {
  const status = (name: 'working' | 'compacting' | 'retrying' | 'mode', detail?: string, value?: object) => {
    const more = { ...(detail === undefined ? {} : { detail }), ...(value === undefined ? {} : { value }) }
    return [{ type: 'status', entity: run, status: name, ...more } as const]
  }
  switch (record['subtype']) {
    case 'init':
      // Repeated at every turn; the stream reader turns the first one into the session.
      return status('working')
    case 'api_retry':
      return status('retrying', asString(record['error']), {
        ...defined({
          attempt: asCount(record['attempt']),
          maxRetries: asCount(record['max_retries']),
          httpStatus: asCount(record['error_status']),
        }),
        ...(typeof record['retry_delay_ms'] === 'number'
          ? { waitMs: Math.round(record['retry_delay_ms']) }
          : {}),
      })
    case 'retry': {
      const about = asRecord(record['data']) ?? {}
      const counts = { attempt: asCount(about['attempt']), maxRetries: asCount(about['maxRetries']) }
      return status('retrying', asString(about['reason']), defined(counts))
    }
    case 'status':
      return status(record['status'] === 'compacting' ? 'compacting' : 'working', asString(record['status']))
    case 'compact_boundary':
      return status('compacting', 'compacted', asRecord(record['compact_metadata']))
    case 'thinking_tokens':
      return status('working', 'thinking', defined({ tokens: asCount(record['estimated_tokens']) }))
    case 'task_started':
    case 'task_progress':
    case 'task_updated':
    case 'task_notification': {
      const detail = asString(record['summary']) ?? asString(record['description'])
      return status(
        'working',
        detail,
        defined({ task: asString(record['task_id']), status: asString(record['status']) }),
      )
    }
    case 'hook_started':
    case 'hook_progress':
      return status('working', asString(record['hook_name']))
    case 'hook_response':
      return toHookFields(record, run) ?? status('working', asString(record['hook_name']))
    default:
      return undefined
  }
}

/** A hook that failed is worth a warning: the user installed it for a reason. */
function toHookFields(record: AgentRecord, run: string): EventFields[] | undefined {
  const outcome = asString(record['outcome'])
  if (outcome === undefined || outcome === 'success') return undefined
  const name = asString(record['hook_name']) ?? 'hook'
  const output = (asString(record['stderr']) || asString(record['output']) || '').trim()
  const message = `The hook ${name} ended with ${outcome}${output ? `: ${output}` : ''}`
  return [
    { type: 'error', entity: `${run}/remark/${message}`, code: 'unknown', severity: 'warning', message },
  ]
}

/** The state of the usage limit. It is a warning only when the limit is near or reached. */
function toRateLimitFields(record: AgentRecord, run: string): EventFields[] | undefined {
  const info = asRecord(record['rate_limit_info'])
  const state = asString(info?.['status'])
  if (!info || state === undefined) return undefined
  if (state === 'allowed') return [{ type: 'status', entity: run, status: 'working', value: info }]
  const kind = asString(info['rateLimitType'])
  const message = `The usage limit${kind ? ` (${kind})` : ''} is ${state === 'rejected' ? 'reached' : 'near'}`
  return [{ type: 'error', entity: `${run}/remark/${message}`, code: 'quota', severity: 'warning', message }]
}

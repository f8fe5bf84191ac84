import type { Event } from '@remora/protocol/plain'
import type { HeadlessReader, HeadlessRequest, Outcome } from '../../contract/agent.ts'
import { type Failure, classifyError } from '../../events/classify-error.ts'
import type { EventFields, EventMaker } from '../../events/event-maker.ts'
import { asRecord, asString } from '../../events/fields.ts'
import { type AgentRecord, readRecord } from '../../events/read-record.ts'
import { toPromptBlocks } from '../../dialects/prompt-blocks.ts'
import { parseFailure, parseHeading, toOutput, toStatus, toUsage } from './content.ts'
import { getStartedAgent, isCallItem, toClaude } from './tools.ts'

/** Reads `exec --json`: thread.started, turn.*, item.*, error. */
export function streamReader(maker: EventMaker, request: HeadlessRequest): HeadlessReader {
  return new StreamReader(maker, request)
}

class StreamReader implements HeadlessReader {
  readonly #maker: EventMaker
  readonly #request: HeadlessRequest
  readonly #run: string
  readonly #calls = new Set<string>()
  readonly #denials: unknown[] = []
  #ended: 'completed' | 'failed' | undefined
  #failure: Failure | undefined

  constructor(maker: EventMaker, request: HeadlessRequest) {
    this.#maker = maker
    this.#request = request
    // Items are counted from 0 at every start, so the start is part of their ids.
    this.#run = `${maker.source}/${maker.started()}`
  }

  read(line: string): Event[] {
    return readRecord(this.#maker, line, (record) => {
      this.#maker.next()
      const fields = this.#fields(record)
      if (fields === undefined) return [this.#unknown(record)]
      return fields.map((each, index) =>
        this.#maker.make({ ...each, ...(index === 0 ? { raw: record } : {}) }),
      )
    })
  }

  /** A call that is refused before it runs only appears in this line of stderr. */
  readError(line: string): Event[] {
    const message = /\bERROR codex_core::tools::\w+: error=(.+)/.exec(line)?.[1]
    if (message === undefined) return []
    const forbidden = /rejected|blocked|requires approval|denied/i.test(message)
    if (forbidden) this.#denials.push({ message })
    this.#maker.next()
    return [this.#maker.make(this.#warning(message, forbidden ? 'permission' : undefined))]
  }

  end(exit: { code: number | null }, stderr: string): Outcome {
    const denials = this.#denials.length > 0 ? { permissionDenials: this.#denials } : {}
    if (this.#ended === 'completed') return { ok: true, stopReason: 'end_turn', ...denials }
    return { ok: false, failure: this.#failure ?? { message: getReason(exit.code, stderr) }, ...denials }
  }

  #fields(record: AgentRecord): EventFields[] | undefined {
    const type = record['type']
    switch (type) {
      case 'thread.started':
        return this.#session(record)
      case 'turn.started':
        return [{ type: 'status', entity: this.#run, status: 'working' }]
      case 'item.started':
      case 'item.updated':
      case 'item.completed':
        return this.#item(asRecord(record['item']) ?? {}, type === 'item.completed')
      case 'turn.completed':
        return this.#complete(asRecord(record['usage']) ?? {})
      case 'turn.failed':
        return this.#fail(asString(asRecord(record['error'])?.['message']))
      case 'error':
        return this.#error(asString(record['message']))
      default:
        return undefined
    }
  }

  #unknown(record: AgentRecord): Event {
    const names = [record['type'], asRecord(record['item'])?.['type']]
    const what = names.filter((name) => typeof name === 'string').join('/') || 'record'
    return this.#maker.make({ type: 'unknown', entity: `${this.#run}/unknown/${what}`, what, raw: record })
  }

  #session(record: AgentRecord): EventFields[] | undefined {
    const id = asString(record['thread_id'])
    if (id === undefined) return undefined
    this.#maker.session = id
    const { model, resume } = this.#request
    return [
      // Codex does not report its model, so only a requested model is known.
      {
        type: 'session',
        entity: id,
        ...(model === undefined ? {} : { model }),
        ...(resume === undefined ? {} : { resumed: true }),
      },
      {
        type: 'message',
        entity: `${this.#run}/prompt`,
        role: 'user',
        content: toPromptBlocks(this.#request),
      },
    ]
  }

  #item(item: AgentRecord, completed: boolean): EventFields[] | undefined {
    const { id: name, type, ...rest } = item
    if (typeof name !== 'string' || typeof type !== 'string') return undefined
    const entity = `${this.#run}/${name}`
    const text = asString(item['text'])
    switch (type) {
      case 'agent_message':
      case 'reasoning': {
        if (text === undefined) return undefined
        const final = completed ? { final: true as const } : {}
        if (type === 'agent_message') return [{ type: 'text', entity, offset: 0, text, ...final }]
        return [{ type: 'thinking', entity, offset: 0, text, ...parseHeading(text), ...final }]
      }
      case 'error': {
        const message = asString(item['message'])
        // Not classified: a warning such as "Model metadata not found" would look like a missing model.
        return message === undefined ? undefined : [this.#warning(message, 'unknown')]
      }
      default:
        return isCallItem(type) ? this.#call(entity, type, rest, completed) : undefined
    }
  }

  #call(entity: string, type: string, item: AgentRecord, completed: boolean): EventFields[] {
    // These fields belong to the result; the rest is the input.
    const { aggregated_output: _, exit_code: __, status: ___, result: ____, error: _____, ...input } = item
    const fields: EventFields[] = []
    // The input of a plan or a search changes while it runs; the others keep their first input.
    if (!this.#calls.has(entity) || type === 'todo_list' || type === 'web_search')
      fields.push({ type: 'tool_use', entity, ...toClaude(type, input), native: { name: type, input } })
    this.#calls.add(entity)
    if (!completed)
      return fields.length > 0
        ? fields
        : [{ type: 'status', entity: this.#run, status: 'working', detail: type }]
    const content = toOutput(item)
    const status = toStatus(item)
    if (status === 'denied') this.#denials.push({ tool_name: type, tool_input: input })
    return [
      ...fields,
      {
        type: 'tool_result',
        entity,
        status,
        ...(content === undefined ? {} : { content }),
        ...getStartedAgent(item),
      },
    ]
  }

  /** The tokens are those of the whole thread, so after a resume they include earlier runs. */
  #complete(usage: AgentRecord): EventFields[] {
    this.#ended = 'completed'
    if (this.#request.resume !== undefined)
      return [{ type: 'status', entity: this.#run, status: 'idle', value: { sessionUsage: toUsage(usage) } }]
    return [{ type: 'usage', entity: this.#run, scope: 'run', usage: toUsage(usage) }]
  }

  #fail(message: string | undefined): EventFields[] {
    this.#ended = 'failed'
    if (message !== undefined) this.#failure = parseFailure(message)
    const detail = this.#failure?.message
    return [
      { type: 'status', entity: this.#run, status: 'idle', ...(detail === undefined ? {} : { detail }) },
    ]
  }

  #error(message: string | undefined): EventFields[] | undefined {
    if (message === undefined) return undefined
    const retry = /^Reconnecting\D*(\d+)\/(\d+)/.exec(message)
    if (retry) {
      const value = { attempt: Number(retry[1]), maxRetries: Number(retry[2]) }
      return [{ type: 'status', entity: this.#run, status: 'retrying', detail: message, value }]
    }
    this.#failure = parseFailure(message)
    return [this.#warning(this.#failure.message)]
  }

  /** Always a warning: only the end of the turn shows whether the run failed. */
  #warning(message: string, code = classifyError({ message }).code): EventFields {
    return { type: 'error', entity: `${this.#run}/remark/${message}`, code, severity: 'warning', message }
  }
}

/** Without an end of the turn, the reason is the last error of stderr, or its last line. */
function getReason(code: number | null, stderr: string): string {
  const lines = stderr.split('\n').map((line) => line.trim())
  const error = lines.findLast((line) => line.startsWith('Error: '))
  const noise = /^(WARNING|Reading (prompt|additional input) from stdin|Stack backtrace|\d+: |in `)/
  const reason = error ?? lines.findLast((line) => line !== '' && !noise.test(line))
  return reason?.replace(/^Error: /, '') ?? `Codex ended with code ${code} before the turn was over`
}

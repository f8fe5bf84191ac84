import { type Block, type ToolStatus, findMode, getModeName } from '@remora/protocol/plain'
import { type Failure, classifyError } from '../../events/classify-error.ts'
import type { EventFields, EventMaker } from '../../events/event-maker.ts'
import { asCount, asRecord, asString, defined } from '../../events/fields.ts'
import type { AgentRecord } from '../../events/read-record.ts'
import { modes } from './modes.ts'
import { toClaude } from './tools.ts'
import { toModelUsage, toUsage } from './usage.ts'

/** Records without a meaning for the conversation: progress, telemetry, and what other records repeat. */
const silent = new RegExp(
  `^(?:${[
    'abort|agent\\.interrupted|capabilities\\.changed|pending_messages\\.modified|prompt_cache_break|result',
    'assistant\\.(?:turn_start|turn_end|idle|intent|usage|tool_call_delta|streaming_delta)',
    '(?:commands?|exit_plan_mode|hook|mcp|model|permission|sandbox|skill|subagent|system|user_input)\\.\\w+',
    'session\\.(?:info|idle|\\w+_loaded|\\w+_(?:changed|updated|delivered|observation)|usage_\\w+)',
    'tool\\.(?:execution_partial_result|execution_progress|shell_output|user_requested)',
  ].join('|')})$`,
)

/**
 * Reads the records that Copilot prints with `--output-format json` and writes into `events.jsonl`. The file has no
 * increments; the output has neither the session nor tokens.
 */
export class EventReader {
  readonly #maker: EventMaker
  /** The call that started a sub-agent, by the sub-agent's id. */
  readonly #agents = new Map<string, string>()
  /** The length of the text received since the last message, by entity. */
  readonly #lengths = new Map<string, number>()
  /** The thoughts of the last message, which the record after it repeats. */
  #thoughts = ''
  /** Whether the process records the tokens of each request, so that their sum at its end is not needed. */
  #hasUsage = false
  /** The message whose start was reported. */
  #started: string | undefined

  constructor(maker: EventMaker, state?: unknown) {
    this.#maker = maker
    const known = asRecord(state)
    this.#hasUsage = known?.['hasUsage'] === true
    const agents = asRecord(known?.['agents']) ?? {}
    for (const [id, call] of Object.entries(agents)) if (typeof call === 'string') this.#agents.set(id, call)
  }

  state(): AgentRecord {
    return { agents: Object.fromEntries(this.#agents), hasUsage: this.#hasUsage }
  }

  /** The fields of a record's events; undefined for an unknown record. */
  read(record: AgentRecord): EventFields[] | undefined {
    const type = asString(record['type'])
    const data = asRecord(record['data'])
    if (type === undefined || !data) return undefined
    this.#setParent(type, record, data)
    const { session: entity } = this.#maker
    switch (type) {
      case 'session.start':
      case 'session.resume':
        this.#hasUsage = false
        return [{ type: 'session', entity, ...readSession(data) }]
      case 'session.title_changed':
        return [{ type: 'session', entity, ...defined({ title: asString(data['title']) }) }]
      case 'session.model_change':
        return [{ type: 'status', entity, status: 'model', value: data['newModel'] }]
      case 'session.mode_changed':
        return readMode(entity, data['newMode'])
      case 'session.compaction_start':
        return [{ type: 'status', entity, status: 'compacting' }]
      case 'session.compaction_complete':
        return [{ type: 'status', entity, status: 'compacting', detail: 'compacted' }]
      case 'assistant.turn_retry':
        return [
          { type: 'status', entity, status: 'retrying', ...defined({ detail: asString(data['reason']) }) },
        ]
      case 'session.error':
        return readError(record, data, 'error')
      case 'session.warning':
        return readError(record, data, 'warning')
      case 'session.shutdown':
        return this.#hasUsage ? [] : readTotal(record, data)
      case 'session.usage_record':
        this.#hasUsage = true
        return readUsage(record, asRecord(data['usage']))
      case 'user.message':
        return readPrompt(record, data)
      case 'assistant.reasoning_delta':
      case 'assistant.reasoning':
        return this.#readThoughts(asString(data['reasoningId']), data)
      case 'assistant.message_start':
      case 'assistant.message_delta':
      case 'assistant.message':
        return this.#readMessage(type, asString(data['messageId']), data)
      case 'tool.execution_start':
        return readCall({ ...data, name: data['toolName'] })
      case 'tool.execution_complete':
        return readResult(data)
      default:
        return silent.test(type) ? [] : undefined
    }
  }

  #setParent(type: string, { agentId }: AgentRecord, data: AgentRecord): void {
    const agent = asString(agentId)
    const call = asString(data['toolCallId'])
    if (type === 'subagent.started' && agent !== undefined && call !== undefined)
      this.#agents.set(agent, call)
    this.#maker.parent = agent === undefined ? undefined : (this.#agents.get(agent) ?? agent)
  }

  #readThoughts(entity: string | undefined, data: AgentRecord): EventFields[] | undefined {
    if (entity === undefined) return undefined
    if ('deltaContent' in data) return this.#append('thinking', entity, undefined, data)
    // The record comes after the message, which has the same text.
    return data['content'] === this.#thoughts ? [] : finish('thinking', entity, undefined, data['content'])
  }

  #readMessage(type: string, id: string | undefined, data: AgentRecord): EventFields[] | undefined {
    if (id === undefined) return undefined
    if (type === 'assistant.message_delta') return this.#append('text', `${id}/text`, id, data)
    if (type === 'assistant.message_start') {
      this.#started = id
      return [{ type: 'message', entity: id, role: 'assistant' }]
    }
    // Tokens are recorded before the message, by the id of the request.
    const entity = id === this.#started ? id : (asString(data['apiCallId']) ?? id)
    const thoughts = asString(data['reasoningText']) ?? ''
    const isShown = [...this.#lengths.keys()].some((each) => !each.endsWith('/text'))
    this.#lengths.clear()
    this.#thoughts = thoughts
    const requests: unknown[] = Array.isArray(data['toolRequests']) ? data['toolRequests'] : []
    return [
      { type: 'message', entity, role: 'assistant', ...defined({ model: asString(data['model']) }) },
      ...(isShown ? [] : finish('thinking', `${entity}/thinking`, entity, thoughts)),
      ...finish('text', `${entity}/text`, entity, data['content']),
      ...requests.flatMap((each) => readCall(asRecord(each) ?? {}, entity) ?? []),
    ]
  }

  #append(
    type: 'text' | 'thinking',
    entity: string,
    message: string | undefined,
    data: AgentRecord,
  ): EventFields[] {
    const text = asString(data['deltaContent']) ?? ''
    const offset = this.#lengths.get(entity) ?? 0
    this.#lengths.set(entity, offset + text.length)
    return text === '' ? [] : [{ type, entity, offset, text, ...defined({ message }) }]
  }
}

function finish(
  type: 'text' | 'thinking',
  entity: string,
  message: string | undefined,
  text: unknown,
): EventFields[] {
  if (typeof text !== 'string' || text === '') return []
  return [{ type, entity, offset: 0, text, final: true, ...defined({ message }) }]
}

function readSession(data: AgentRecord) {
  return defined({
    cwd: asString(asRecord(data['context'])?.['cwd']),
    model: asString(data['selectedModel']),
    version: asString(data['copilotVersion']),
  })
}

function readMode(entity: string, id: unknown): EventFields[] {
  const mode = findMode(modes, asString(id))
  return [{ type: 'status', entity, status: 'mode', value: mode ? getModeName(modes, mode) : id }]
}

/** The text is what the user typed. What is sent to the model begins with notes of the CLI. */
function readPrompt(record: AgentRecord, data: AgentRecord): EventFields[] | undefined {
  const entity = asString(data['messageId']) ?? asString(record['id'])
  const text = asString(data['content'])
  if (entity === undefined || text === undefined) return undefined
  const content: Block[] = [{ type: 'text', text }]
  const isTyped = data['source'] === undefined && data['isAutopilotContinuation'] !== true
  const isContext = !isTyped && record['agentId'] === undefined
  return [
    { type: 'message', entity, role: 'user', content, ...(isContext ? { context: true as const } : {}) },
  ]
}

function readCall(call: AgentRecord, message?: string): EventFields[] | undefined {
  const entity = asString(call['toolCallId'])
  const name = asString(call['name'])
  if (entity === undefined || name === undefined) return undefined
  const input = call['arguments'] ?? {}
  const native = { name, input }
  return [{ type: 'tool_use', entity, ...toClaude(name, input), native, ...defined({ message }) }]
}

function readResult(data: AgentRecord): EventFields[] | undefined {
  const entity = asString(data['toolCallId'])
  if (entity === undefined) return undefined
  const content =
    asString(asRecord(data['result'])?.['content']) ?? asString(asRecord(data['error'])?.['message'])
  return [{ type: 'tool_result', entity, status: toStatus(data), ...defined({ content }) }]
}

/** A command that fails is a successful call with an exit code. */
function toStatus({ success, error, shellExecution }: AgentRecord): ToolStatus {
  if (success === true)
    return (asCount(asRecord(shellExecution)?.['exitCode']) ?? 0) === 0 ? 'success' : 'error'
  const code = asRecord(error)?.['code']
  return code === 'denied' || code === 'rejected' ? 'denied' : 'error'
}

function readUsage({ id }: AgentRecord, record: AgentRecord | undefined): EventFields[] | undefined {
  const entity = asString(record?.['apiCallId']) ?? asString(id)
  if (!record || entity === undefined) return undefined
  const model = asString(record['model'])
  return [{ type: 'usage', entity, scope: 'message', usage: toUsage(record), ...defined({ model }) }]
}

/** The tokens of a process, counted for its last turn: lists of sessions skip those of a run. */
function readTotal({ id }: AgentRecord, data: AgentRecord): EventFields[] {
  return Object.entries(toModelUsage(data)).map(([model, usage]) => {
    return { type: 'usage', entity: `${asString(id) ?? ''}/${model}`, scope: 'turn', usage, model }
  })
}

function readError({ id }: AgentRecord, data: AgentRecord, severity: 'error' | 'warning'): EventFields[] {
  const failure = toFailure(data)
  const { code, hint, retryable } = classifyError(failure)
  const { message } = failure
  return [{ type: 'error', entity: asString(id) ?? message, code, message, hint, retryable, severity }]
}

/** @example toFailure({ errorType: 'authentication', message: '…', statusCode: 401 }) */
export function toFailure(data: AgentRecord): Failure {
  const message = asString(data['message']) ?? 'The run failed'
  // A lost connection has no status, and the message names the step that failed.
  const isTransport = /Failed native model HTTP request/.test(message)
  const types = [isTransport ? 'network' : data['errorType'], data['errorCode']]
  const type = types.filter((each) => typeof each === 'string').join(' ')
  return { message, status: asCount(data['statusCode']), type }
}

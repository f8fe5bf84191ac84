import type { Event, ToolOutput, ToolStatus } from '@remora/protocol/plain'
import { computeDigest } from '../../events/digest.ts'
import { type EventMaker, parseTime } from '../../events/event-maker.ts'
import { defined, asRecord, asString } from '../../events/fields.ts'
import type { AgentRecord } from '../../events/read-record.ts'
import { shellStatus } from '../../dialects/shell-status.ts'
import { isKnownTool, shellTool, toClaude } from './tools.ts'
import { readOutput, toParts } from '../../dialects/gemini-parts.ts'

/**
 * Makes the events of an answer's calls and results, including calls that are only in its content. Each call is a
 * record of its own, because the answer is rewritten with all its calls whenever one is added.
 */
export function callEvents(maker: EventMaker, record: AgentRecord, message: string) {
  const events: Event[] = []
  const ids: string[] = []
  for (const value of toParts(record['toolCalls'])) {
    const call = asRecord(value)
    const id = asString(call?.['id'])
    const name = asString(call?.['name'])
    if (!call || id === undefined || name === undefined) continue
    ids.push(id)
    const content = readOutput(id, call['result'])
    maker.next(parseTime(call['timestamp']) ?? maker.at, `c:${id}`, toRevision(call, content))
    const use = toToolUse(id, name, call['args'], message)
    const subagent = asString(call['agentId'])
    events.push(maker.make(subagent === undefined ? use : { ...use, subagent }))
    const result = toToolResult(id, name, call, content)
    if (result) events.push(maker.make(result))
  }
  for (const part of toParts(record['content'])) {
    const call = asRecord(asRecord(part)?.['functionCall'])
    const name = asString(call?.['name'])
    if (!call || name === undefined) continue
    const id = asString(call['id']) ?? `${message}/${name}/${ids.length}`
    if (ids.includes(id)) continue
    ids.push(id)
    maker.next(maker.at, `f:${id}`, computeDigest(JSON.stringify(call)))
    events.push(maker.make(toToolUse(id, name, call['args'], message)))
  }
  return { events, ids }
}

function toToolUse(entity: string, native: string, args: unknown, message: string) {
  const input = args ?? {}
  return {
    type: 'tool_use' as const,
    entity,
    message,
    ...toClaude(native, input),
    native: { name: native, input },
  }
}

/**
 * The progress of a call. Every later version of the answer repeats the call, so hashing it each time would be too
 * slow.
 */
function toRevision(call: AgentRecord, content: ToolOutput | undefined): string {
  const size = typeof content === 'string' ? content.length : JSON.stringify(content ?? null).length
  return `${String(call['status'])} ${String(call['timestamp'])} ${size}`
}

function toToolResult(entity: string, name: string, call: AgentRecord, content: ToolOutput | undefined) {
  const status = asString(call['status'])
  // Older versions wrote a call before it ran.
  if (content === undefined && !['success', 'error', 'cancelled'].includes(status ?? '')) return undefined
  const display = call['resultDisplay']
  return {
    type: 'tool_result' as const,
    entity,
    status: isBlocked(display) ? 'denied' : getStatus(status, content, name),
    ...(content === undefined ? {} : { content }),
    ...(display === undefined || display === null || display === content ? {} : { display }),
  }
}

/** Makes the events of results in separate messages to the model. `finished` are calls with better results already. */
export function responseEvents(
  maker: EventMaker,
  record: AgentRecord,
  finished: ReadonlySet<string>,
): Event[] | undefined {
  const parts = toParts(record['content'])
  const responses = parts.map((part) => asRecord(asRecord(part)?.['functionResponse'])).filter(isPresent)
  if (responses.length === 0) return undefined
  const events = responses.flatMap((response) => {
    const entity = asString(response['id'])
    if (entity === undefined || finished.has(entity)) return []
    const content = readOutput(entity, parts)
    const failed = asRecord(response['response'])?.['error'] !== undefined
    const status = getStatus(failed ? 'error' : 'success', content, asString(response['name']) ?? '')
    return [maker.make({ type: 'tool_result', entity, status, ...defined({ content }) })]
  })
  if (events.length === 0)
    events.push(maker.make({ type: 'status', entity: maker.session, status: 'working' }))
  events[0]!.raw = record
  return events
}

function isPresent<T>(value: T | undefined): value is T {
  return value !== undefined
}

/** Whether a hook blocked the call. In 0.34 the model gets only the hook's reason, which can be any text. */
function isBlocked(display: unknown): boolean {
  return typeof display === 'string' && display.startsWith('Tool execution blocked: ')
}

const refusals =
  /^Tool execution blocked: |^Tool ".*" was canceled by the user\.$|user did not allow|User denied execution|denied by policy|requires user confirmation|not permitted|policy denied/i

function getStatus(status: string | undefined, output: ToolOutput | undefined, name: string): ToolStatus {
  const text = typeof output === 'string' ? output : ''
  if (status === 'success') return name === shellTool ? shellStatus(text) : 'success'
  if (refusals.test(text)) return 'denied'
  if (status === 'cancelled') return 'cancelled'
  // Calling a tool that the CLI does not offer in this mode fails with "not found".
  return /^Tool ".*" not found/s.test(text) && isKnownTool(name) ? 'denied' : 'error'
}

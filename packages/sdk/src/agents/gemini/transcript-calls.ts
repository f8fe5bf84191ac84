import type { Event, ToolOutput, ToolStatus } from '@remora/protocol/plain'
import { computeDigest } from '../../events/digest.ts'
import { type EventMaker, parseTime } from '../../events/event-maker.ts'
import { defined, asRecord, asString } from '../../events/fields.ts'
import type { AgentRecord } from '../../events/read-record.ts'
import { shellStatus } from './shell-status.ts'
import { isKnownTool, toClaude } from './tools.ts'
import { mediaPart, partsOf } from './transcript-content.ts'

/**
 * The calls of an answer with how they ended, and those that stand only in its content. A call is a record of its own,
 * since the answer is written again with all its calls whenever one is added.
 */
export function callEvents(maker: EventMaker, record: AgentRecord, message: string) {
  const events: Event[] = []
  const ids: string[] = []
  for (const value of partsOf(record['toolCalls'])) {
    const call = asRecord(value)
    const id = asString(call?.['id'])
    const name = asString(call?.['name'])
    if (!call || id === undefined || name === undefined) continue
    ids.push(id)
    const content = outputOf(id, call['result'])
    maker.next(parseTime(call['timestamp']) ?? maker.at, `c:${id}`, stageOf(call, content))
    const use = useOf(id, name, call['args'], message)
    const subagent = asString(call['agentId'])
    events.push(maker.make(subagent === undefined ? use : { ...use, subagent }))
    const result = resultOf(id, name, call, content)
    if (result) events.push(maker.make(result))
  }
  for (const part of partsOf(record['content'])) {
    const call = asRecord(asRecord(part)?.['functionCall'])
    const name = asString(call?.['name'])
    if (!call || name === undefined) continue
    const id = asString(call['id']) ?? `${message}/${name}/${ids.length}`
    if (ids.includes(id)) continue
    ids.push(id)
    maker.next(maker.at, `f:${id}`, computeDigest(JSON.stringify(call)))
    events.push(maker.make(useOf(id, name, call['args'], message)))
  }
  return { events, ids }
}

function useOf(entity: string, native: string, args: unknown, message: string) {
  const input = args ?? {}
  return {
    type: 'tool_use' as const,
    entity,
    message,
    ...toClaude(native, input),
    native: { name: native, input },
  }
}

/** How far a call is. Each call stands in every later version of its record: to hash it each time would be dear. */
function stageOf(call: AgentRecord, content: ToolOutput | undefined): string {
  const size = typeof content === 'string' ? content.length : JSON.stringify(content ?? null).length
  return `${String(call['status'])} ${String(call['timestamp'])} ${size}`
}

function resultOf(entity: string, name: string, call: AgentRecord, content: ToolOutput | undefined) {
  const status = asString(call['status'])
  // Older versions wrote a call before it ran.
  if (content === undefined && !['success', 'error', 'cancelled'].includes(status ?? '')) return undefined
  const display = call['resultDisplay']
  return {
    type: 'tool_result' as const,
    entity,
    status: isBlocked(display) ? 'denied' : statusOf(status, content, name),
    ...(content === undefined ? {} : { content }),
    ...(display === undefined || display === null || display === content ? {} : { display }),
  }
}

/** Results that stand alone, as messages to the model; `told` are calls of which more is known already. */
export function responseEvents(
  maker: EventMaker,
  record: AgentRecord,
  told: ReadonlySet<string>,
): Event[] | undefined {
  const parts = partsOf(record['content'])
  const responses = parts.map((part) => asRecord(asRecord(part)?.['functionResponse'])).filter(isPresent)
  if (responses.length === 0) return undefined
  const events = responses.flatMap((response) => {
    const entity = asString(response['id'])
    if (entity === undefined || told.has(entity)) return []
    const content = outputOf(entity, parts)
    const failed = asRecord(response['response'])?.['error'] !== undefined
    const status = statusOf(failed ? 'error' : 'success', content, asString(response['name']) ?? '')
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

/** What a call said: of the parts, those that answer it, or all where none says which call it answers. */
export function outputOf(id: string, result: unknown): ToolOutput | undefined {
  if (typeof result === 'string') return result
  const parts = partsOf(result)
  const answers = (part: unknown) => asRecord(asRecord(part)?.['functionResponse'])
  const own = parts.filter((part) => {
    const answer = answers(part)
    return !answer || answer['id'] === id
  })
  const blocks = (own.some(answers) ? own : parts).flatMap(outputBlocks)
  if (blocks.length === 0) return undefined
  if (blocks.every((block) => block.type === 'text')) return blocks.map((block) => block.text).join('\n')
  return blocks
}

function outputBlocks(part: unknown): Exclude<ToolOutput, string> {
  const media = mediaPart(part)
  if (media) return [media]
  const fields = asRecord(part)
  const answer = asRecord(fields?.['functionResponse'])
  if (answer) {
    const response = asRecord(answer['response'])
    const said = response?.['output'] ?? response?.['error'] ?? response
    const text = typeof said === 'string' ? said : (JSON.stringify(said) ?? '')
    return [{ type: 'text', text }, ...partsOf(answer['parts']).flatMap(outputBlocks)]
  }
  const text = typeof part === 'string' ? part : asString(fields?.['text'])
  return text === undefined ? [] : [{ type: 'text', text }]
}

/** By a hook. 0.34 tells the model no more than the hook's reason, which could be anything. */
function isBlocked(display: unknown): boolean {
  return typeof display === 'string' && display.startsWith('Tool execution blocked: ')
}

const refusals =
  /^Tool execution blocked: |^Tool ".*" was canceled by the user\.$|user did not allow|User denied execution|denied by policy|requires user confirmation|not permitted|policy denied/i

function statusOf(status: string | undefined, output: ToolOutput | undefined, name: string): ToolStatus {
  const text = typeof output === 'string' ? output : ''
  if (status === 'success') return name === 'run_shell_command' ? shellStatus(text) : 'success'
  if (refusals.test(text)) return 'denied'
  if (status === 'cancelled') return 'cancelled'
  // A tool that the CLI has but does not offer in this mode is not found when it is called.
  return /^Tool ".*" not found/s.test(text) && isKnownTool(name) ? 'denied' : 'error'
}

import { parseJson } from '@remora/protocol/plain'
import type { EventFields } from '../../events/event-maker.ts'
import { asRecord, asString } from '../../events/fields.ts'
import type { AgentRecord } from '../../events/read-record.ts'
import { heading } from './content.ts'
import { nativeToClaude } from './native-tools.ts'
import { outputResult } from './transcript-results.ts'
import { textIn, wordsIn } from './transcript-words.ts'
import type { Turns } from './transcript-turns.ts'

/**
 * Reads what went to the model and came from it (`response_item`), which every version writes; the events beside it
 * mostly repeat it. Empty for what says nothing; undefined for what we do not know.
 */
export function itemFields(
  item: AgentRecord,
  turns: Turns,
  metadata: AgentRecord | undefined,
): EventFields[] | undefined {
  switch (item['type']) {
    case 'message':
      return messageFields(item, turns, metadata)
    case 'reasoning':
      return thinkingFields(item, turns)
    case 'function_call':
      return callFields(item, turns, asString(item['name']), argumentsOf(item['arguments']))
    case 'custom_tool_call':
      return callFields(item, turns, asString(item['name']), item['input'])
    case 'local_shell_call':
      return callFields(item, turns, 'local_shell', item['action'])
    case 'web_search_call':
      return searchFields(item, turns)
    case 'function_call_output':
    case 'custom_tool_call_output':
      return outputFields(item, turns)
    case 'compaction':
    case 'compaction_summary':
    case 'context_compaction':
    case 'ghost_snapshot':
    case 'other':
      return []
    default:
      return undefined
  }
}

function messageFields(
  item: AgentRecord,
  turns: Turns,
  metadata: AgentRecord | undefined,
): EventFields[] | undefined {
  if (item['role'] === 'assistant') {
    const text = textIn(item)
    const entity = turns.entity(item, 'text')
    // The summary of all before, in which the model speaks to itself.
    if (metadata?.['compaction_output'] === true)
      return [{ type: 'message', entity, role: 'system', content: [{ type: 'text', text }], context: true }]
    return [...turns.head(), { type: 'text', entity, message: turns.message, offset: 0, text, final: true }]
  }
  if (typeof item['role'] !== 'string') return undefined
  const words = wordsIn(item)
  const entity = turns.entity(item, 'user')
  if (words.from === 'shell') {
    turns.prompted(entity)
    const content = [{ type: 'text' as const, text: `! ${words.command}` }]
    const output = [{ type: 'text' as const, text: words.output }]
    return [
      { type: 'message', entity, role: 'user', content },
      ...(words.output === ''
        ? []
        : [
            {
              type: 'message' as const,
              entity: `${entity}/output`,
              role: 'system' as const,
              content: output,
            },
          ]),
    ]
  }
  const context = words.from === 'context' || item['role'] !== 'user'
  if (!context) turns.prompted(entity)
  const mark = context ? { context: true as const } : {}
  return words.content.length === 0
    ? []
    : [{ type: 'message', entity, role: 'user', content: words.content, ...mark }]
}

/** The summary, or where there is none the thoughts themselves; often both are secret. */
function thinkingFields(item: AgentRecord, turns: Turns): EventFields[] {
  const parts = [item['summary'], item['content']].map((list) =>
    (Array.isArray(list) ? (list as unknown[]) : []).flatMap(
      (part) => asString(asRecord(part)?.['text']) ?? [],
    ),
  )
  const text = (parts.find((list) => list.length > 0) ?? []).join('\n')
  if (text === '') return []
  const entity = turns.entity(item, 'thinking')
  const { message } = turns
  return [
    ...turns.head(),
    { type: 'thinking', entity, message, offset: 0, text, ...heading(text), final: true },
  ]
}

function argumentsOf(text: unknown): unknown {
  if (typeof text !== 'string') return text
  try {
    return parseJson(text)
  } catch {
    return text
  }
}

function callFields(
  item: AgentRecord,
  turns: Turns,
  name: string | undefined,
  given: unknown,
): EventFields[] | undefined {
  const entity = asString(item['call_id']) ?? asString(item['id'])
  if (name === undefined || entity === undefined) return undefined
  const input = given ?? {}
  const namespace = asString(item['namespace'])
  const told = nativeToClaude({ name, namespace, input, cwd: turns.cwd })
  const native = { name: namespace === undefined ? name : `${namespace}.${name}`, input }
  const { message } = turns
  return [...turns.head(), { type: 'tool_use', entity, message, ...told, native }]
}

/** The model's own search, of which the file has no more than the question. */
function searchFields(item: AgentRecord, turns: Turns): EventFields[] {
  const entity = asString(item['id']) ?? turns.entity(item, 'search')
  const input = { action: item['action'] }
  const told = nativeToClaude({ name: 'web_search', input, cwd: turns.cwd })
  const { message } = turns
  return [
    ...turns.head(),
    { type: 'tool_use', entity, message, ...told, native: { name: 'web_search', input } },
    { type: 'tool_result', entity, status: item['status'] === 'failed' ? 'error' : 'success' },
  ]
}

function outputFields(item: AgentRecord, turns: Turns): EventFields[] | undefined {
  const entity = asString(item['call_id'])
  if (entity === undefined) return undefined
  // An event has told it already, and better.
  if (turns.told(entity)) return []
  const result = outputResult(item['output'])
  if (result.status === 'cancelled') turns.cancelled(entity)
  return [{ type: 'tool_result', entity, ...result }]
}

import { parseJson } from '@remora/protocol/plain'
import type { EventFields } from '../../events/event-maker.ts'
import { asRecord, asString } from '../../events/fields.ts'
import type { AgentRecord } from '../../events/read-record.ts'
import { parseHeading } from './content.ts'
import { toClaudeCall } from './tools.ts'
import { toOutputResult } from './transcript-results.ts'
import { getText, readUserMessage } from './user-message.ts'
import type { Turns } from './transcript-turns.ts'

/**
 * Reads a `response_item`: input or output of the model, which every version writes and most events repeat. Empty for an
 * item without content; undefined for an unknown one.
 */
export function toItemFields(
  item: AgentRecord,
  turns: Turns,
  metadata: AgentRecord | undefined,
): EventFields[] | undefined {
  switch (item['type']) {
    case 'message':
      return toMessageFields(item, turns, metadata)
    case 'reasoning':
      return toThinkingFields(item, turns)
    case 'function_call':
      return toCallFields(item, turns, asString(item['name']), parseArguments(item['arguments']))
    case 'custom_tool_call':
      return toCallFields(item, turns, asString(item['name']), item['input'])
    case 'local_shell_call':
      return toCallFields(item, turns, 'local_shell', item['action'])
    case 'web_search_call':
      return toSearchFields(item, turns)
    case 'function_call_output':
    case 'custom_tool_call_output':
      return toOutputFields(item, turns)
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

function toMessageFields(
  item: AgentRecord,
  turns: Turns,
  metadata: AgentRecord | undefined,
): EventFields[] | undefined {
  if (item['role'] === 'assistant') {
    const text = getText(item)
    const entity = turns.entity(item, 'text')
    // The summary of a compaction, which is not for the user.
    if (metadata?.['compaction_output'] === true)
      return [{ type: 'message', entity, role: 'system', content: [{ type: 'text', text }], context: true }]
    return [...turns.head(), { type: 'text', entity, message: turns.message, offset: 0, text, final: true }]
  }
  if (typeof item['role'] !== 'string') return undefined
  const read = readUserMessage(item)
  const entity = turns.entity(item, 'user')
  if (read.from === 'shell') {
    turns.addPrompt(entity)
    const content = [{ type: 'text' as const, text: `! ${read.command}` }]
    const output = [{ type: 'text' as const, text: read.output }]
    return [
      { type: 'message', entity, role: 'user', content },
      ...(read.output === ''
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
  const context = read.from === 'context' || item['role'] !== 'user'
  if (!context) turns.addPrompt(entity)
  const mark = context ? { context: true as const } : {}
  return read.content.length === 0
    ? []
    : [{ type: 'message', entity, role: 'user', content: read.content, ...mark }]
}

/** The summary, or else the thoughts themselves; often both are encrypted. */
function toThinkingFields(item: AgentRecord, turns: Turns): EventFields[] {
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
    { type: 'thinking', entity, message, offset: 0, text, ...parseHeading(text), final: true },
  ]
}

function parseArguments(text: unknown): unknown {
  if (typeof text !== 'string') return text
  try {
    return parseJson(text)
  } catch {
    return text
  }
}

function toCallFields(
  item: AgentRecord,
  turns: Turns,
  name: string | undefined,
  given: unknown,
): EventFields[] | undefined {
  const entity = asString(item['call_id']) ?? asString(item['id'])
  if (name === undefined || entity === undefined) return undefined
  const input = given ?? {}
  const namespace = asString(item['namespace'])
  const call = toClaudeCall({ name, namespace, input, cwd: turns.cwd })
  const native = { name: namespace === undefined ? name : `${namespace}.${name}`, input }
  const { message } = turns
  return [...turns.head(), { type: 'tool_use', entity, message, ...call, native }]
}

/** A search by the API itself, of which the file only has the query. */
function toSearchFields(item: AgentRecord, turns: Turns): EventFields[] {
  const entity = asString(item['id']) ?? turns.entity(item, 'search')
  const input = { action: item['action'] }
  const call = toClaudeCall({ name: 'web_search', input, cwd: turns.cwd })
  const { message } = turns
  return [
    ...turns.head(),
    { type: 'tool_use', entity, message, ...call, native: { name: 'web_search', input } },
    { type: 'tool_result', entity, status: item['status'] === 'failed' ? 'error' : 'success' },
  ]
}

function toOutputFields(item: AgentRecord, turns: Turns): EventFields[] | undefined {
  const entity = asString(item['call_id'])
  if (entity === undefined) return undefined
  // An event with more details was read already.
  if (turns.takeReported(entity)) return []
  const result = toOutputResult(item['output'])
  if (result.status === 'cancelled') turns.setCancelled(entity)
  return [{ type: 'tool_result', entity, ...result }]
}

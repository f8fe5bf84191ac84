import type { ToolStatus } from '@remora/protocol/plain'
import type { EventFields } from '../../events/event-maker.ts'
import { asRecord, asString } from '../../events/fields.ts'
import type { AgentRecord } from '../../events/read-record.ts'
import { toolOutput, toolStatus } from './content.ts'
import { toClaude } from './tools.ts'

// Calls and their results, which the stream and the session's file tell in the same blocks.

type ToolUse = Extract<EventFields, { type: 'tool_use' }>
type ToolResult = Extract<EventFields, { type: 'tool_result' }>

/** A call of the assistant's, be it the CLI's own tool, a server's or the API's. */
export function toolUse(block: AgentRecord, message: string): ToolUse | undefined {
  const kind = asString(block['type'])
  const entity = asString(block['id'])
  const name = asString(block['name'])
  if (!kind?.endsWith('tool_use') || entity === undefined || name === undefined) return undefined
  const input = block['input'] ?? {}
  const told = toClaude(name, input)
  const native = told.name === name ? {} : { native: { name, input } }
  return { type: 'tool_use', entity, message, ...told, ...native }
}

export function isToolResult(block: unknown): boolean {
  return asString(asRecord(block)?.['type'])?.endsWith('tool_result') === true
}

/** What a call gave back; `display` is what the CLI keeps of it for itself. */
export function toolResult(block: AgentRecord, display: unknown): ToolResult | undefined {
  const entity = asString(block['tool_use_id'])
  if (entity === undefined) return undefined
  const content = toolOutput(block['content'])
  const kept = asRecord(display)
  const patch = kept?.['structuredPatch']
  const subagent = asString(kept?.['agentId'])
  return {
    type: 'tool_result',
    entity,
    status: toolStatus(block['is_error'] === true, content, display) satisfies ToolStatus,
    ...(content === undefined ? {} : { content }),
    ...(Array.isArray(patch) && patch.length > 0 ? { display: patch } : {}),
    ...(subagent === undefined ? {} : { subagent }),
  }
}

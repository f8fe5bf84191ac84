import type { ToolStatus } from '@remora/protocol/plain'
import type { EventFields } from '../../events/event-maker.ts'
import { asRecord, asString } from '../../events/fields.ts'
import type { AgentRecord } from '../../events/read-record.ts'
import { toToolOutput, toToolStatus } from './content.ts'
import { toClaude } from './tools.ts'

// Tool calls and results. The stream and the transcript use the same blocks for them.

type ToolUse = Extract<EventFields, { type: 'tool_use' }>
type ToolResult = Extract<EventFields, { type: 'tool_result' }>

/** Reads a tool call: of the CLI's own tool, of an MCP server's or of the API's. */
export function toToolUse(block: AgentRecord, message: string): ToolUse | undefined {
  const kind = asString(block['type'])
  const entity = asString(block['id'])
  const name = asString(block['name'])
  if (!kind?.endsWith('tool_use') || entity === undefined || name === undefined) return undefined
  const input = block['input'] ?? {}
  const call = toClaude(name, input)
  const native = call.name === name ? {} : { native: { name, input } }
  return { type: 'tool_use', entity, message, ...call, ...native }
}

export function isToolResult(block: unknown): boolean {
  return asString(asRecord(block)?.['type'])?.endsWith('tool_result') === true
}

/** Reads a tool result; `display` is the structured result that the CLI stores for its own display. */
export function toToolResult(block: AgentRecord, display: unknown): ToolResult | undefined {
  const entity = asString(block['tool_use_id'])
  if (entity === undefined) return undefined
  const content = toToolOutput(block['content'])
  const kept = asRecord(display)
  const patch = kept?.['structuredPatch']
  const subagent = asString(kept?.['agentId'])
  return {
    type: 'tool_result',
    entity,
    status: toToolStatus(block['is_error'] === true, content, display) satisfies ToolStatus,
    ...(content === undefined ? {} : { content }),
    ...(Array.isArray(patch) && patch.length > 0 ? { display: patch } : {}),
    ...(subagent === undefined ? {} : { subagent }),
  }
}

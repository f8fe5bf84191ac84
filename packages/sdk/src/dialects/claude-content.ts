import type { Block, ToolOutput, ToolStatus, Usage } from '@remora/protocol/plain'
import type { ClaudeCall } from '../contract/tools.ts'
import type { EventFields } from '../events/event-maker.ts'
import { asCount, defined, asRecord, asString } from '../events/fields.ts'
import type { AgentRecord } from '../events/read-record.ts'

// Converts blocks, results and token counts of Claude's API to Remora's types.

/** What differs between the agents that write Claude's formats. */
export interface ClaudeDialect {
  readonly title: string
  readonly toClaude: (name: string, input: unknown) => ClaudeCall
  /** How a call ended. The formats only have `is_error`; the rest is in the text and in what the CLI displays. */
  readonly toToolStatus: (isError: boolean, output: ToolOutput | undefined, display: unknown) => ToolStatus
}

type OutputBlock = Exclude<ToolOutput, string>[number]

/** The blocks of a user message; an unknown kind is kept as JSON text. */
export function toPromptContent(content: unknown): Block[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  return Array.isArray(content) ? content.map(toBlock) : []
}

export function toToolOutput(content: unknown): ToolOutput | undefined {
  if (typeof content === 'string') return content
  return Array.isArray(content) ? content.map(toBlock) : undefined
}

function toBlock(value: unknown): OutputBlock {
  const block = asRecord(value)
  const text = asString(block?.['text'])
  if (block?.['type'] === 'text' && text !== undefined) return { type: 'text', text }
  const source = asRecord(block?.['source'])
  const kind = block?.['type']
  if (source && (kind === 'image' || kind === 'document')) {
    const data = asString(source['data'])
    const url = asString(source['url'])
    const media = asString(source['media_type'])
    if (source['type'] === 'base64' && data !== undefined && media !== undefined)
      return { type: kind, source: { type: 'base64', media_type: media, data } }
    if (source['type'] === 'url' && url !== undefined) return { type: kind, source: { type: 'url', url } }
  }
  return { type: 'text', text: JSON.stringify(value) ?? '' }
}

/** Tokens of a message or run. Claude counts cached tokens apart; Remora's input includes them. */
export function toMessageUsage(usage: AgentRecord): Usage {
  const read = asCount(usage['cache_read_input_tokens'])
  const plain = asCount(usage['input_tokens'])
  const written = countCacheWrites(usage)
  return toUsage(plain, read, written, asCount(usage['output_tokens']))
}

/** Newer versions report cache writes twice: as a sum and by lifetime. */
function countCacheWrites(usage: AgentRecord): number | undefined {
  const kept = asRecord(usage['cache_creation'])
  const short = asCount(kept?.['ephemeral_5m_input_tokens'])
  const long = asCount(kept?.['ephemeral_1h_input_tokens'])
  if (short === undefined && long === undefined) return asCount(usage['cache_creation_input_tokens'])
  return (short ?? 0) + (long ?? 0)
}

/** Tokens of one model in the final `result` record. */
export function toModelUsage(usage: AgentRecord): Usage {
  return toUsage(
    asCount(usage['inputTokens']),
    asCount(usage['cacheReadInputTokens']),
    asCount(usage['cacheCreationInputTokens']),
    asCount(usage['outputTokens']),
  )
}

function toUsage(plain?: number, read?: number, written?: number, output?: number): Usage {
  const input = plain === undefined ? undefined : plain + (read ?? 0) + (written ?? 0)
  // Fast path for nearly every answer, since a long transcript has many.
  if (input !== undefined && output !== undefined && read !== undefined && written !== undefined)
    return {
      inputTokens: input,
      outputTokens: output,
      totalTokens: input + output,
      cachedTokens: read,
      cacheWriteTokens: written,
    }
  return defined({
    inputTokens: input,
    outputTokens: output,
    totalTokens: input === undefined || output === undefined ? undefined : input + output,
    cachedTokens: read,
    cacheWriteTokens: written,
  })
}

export function asAmount(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}

// Tool calls and results. The stream and the transcript use the same blocks for them.

type ToolUse = Extract<EventFields, { type: 'tool_use' }>
type ToolResult = Extract<EventFields, { type: 'tool_result' }>

/** Reads a tool call: of the CLI's own tool, of an MCP server's or of the API's. */
export function toToolUse(
  block: AgentRecord,
  message: string,
  { toClaude }: ClaudeDialect,
): ToolUse | undefined {
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
export function toToolResult(
  block: AgentRecord,
  display: unknown,
  { toToolStatus }: ClaudeDialect,
): ToolResult | undefined {
  const entity = asString(block['tool_use_id'])
  if (entity === undefined) return undefined
  const content = toToolOutput(block['content'])
  const kept = asRecord(display)
  const patch = kept?.['structuredPatch']
  const subagent = asString(kept?.['agentId'])
  return {
    type: 'tool_result',
    entity,
    status: toToolStatus(block['is_error'] === true, content, display),
    ...(content === undefined ? {} : { content }),
    ...(Array.isArray(patch) && patch.length > 0 ? { display: patch } : {}),
    ...(subagent === undefined ? {} : { subagent }),
  }
}

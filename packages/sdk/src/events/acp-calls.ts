import type { Usage } from '@remora/protocol/plain'
import { asCount, asRecord, asString, defined } from './fields.ts'
import type { AgentRecord } from './read-record.ts'

// The protocol has no field for the name of a tool. These are the places where agents put it.

/** Finds the name in `_meta.toolName`. */
export function readToolName(call: AgentRecord): string | undefined {
  return asString(asRecord(call['_meta'])?.['toolName'])
}

/** Finds the name in `_meta.<key>.toolName`. @example readNameInMeta('claudeCode')(call) */
export function readNameInMeta(key: string): (call: AgentRecord) => string | undefined {
  return (call) => asString(asRecord(asRecord(call['_meta'])?.[key])?.['toolName'])
}

/** Finds the name in an id such as `write_file__write_file_1767225600001_0` or `write_file-1767225600001`. */
export function readNameInId(call: AgentRecord): string | undefined {
  return /^([a-z][a-z_]*?)(?:__\1_|-)\d{13}/.exec(asString(call['toolCallId']) ?? '')?.[1]
}

/** Finds the name in the first title; later titles describe the action. */
export function readNameInTitle(call: AgentRecord): string | undefined {
  const title = asString(call['firstTitle'])
  return title !== undefined && /^[a-z][a-z_]*$/.test(title) ? title : undefined
}

/** Names every MCP tool `mcp_tool_call`, where the agent gives them the kind of a command. */
export function readServerCall(call: AgentRecord): string | undefined {
  return asRecord(call['_meta'])?.['is_mcp_tool_call'] === true ? 'mcp_tool_call' : undefined
}

/** Finds the name in any of these places, for an agent that is known only by its command. */
export function guessName(call: AgentRecord): string | undefined {
  const meta = Object.keys(asRecord(call['_meta']) ?? {})
  const inMeta = meta.map((key) => readNameInMeta(key)(call)).find((name) => name !== undefined)
  return readServerCall(call) ?? readToolName(call) ?? inMeta ?? readNameInId(call) ?? readNameInTitle(call)
}

/** Reads the tokens of a turn from `_meta.quota.token_count`. */
export function readQuotaUsage(result: AgentRecord): Usage | undefined {
  const counts = asRecord(asRecord(asRecord(result['_meta'])?.['quota'])?.['token_count'])
  if (!counts) return undefined
  return defined({
    inputTokens: asCount(counts['input_tokens']),
    outputTokens: asCount(counts['output_tokens']),
  })
}

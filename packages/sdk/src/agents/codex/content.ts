import { type ToolOutput, type ToolStatus, type Usage, parseJson } from '@remora/protocol/plain'
import type { Failure } from '../../events/classify-error.ts'
import { asCount, defined, asRecord, asString } from '../../events/fields.ts'
import type { AgentRecord } from '../../events/read-record.ts'

// Reads items, results and tokens, which have the same form in the stream and in transcripts.

export type OutputBlock = Exclude<ToolOutput, string>[number]

/** Reads the subject of a reasoning summary, which starts with it in bold. */
export function parseHeading(text: string): { subject?: string; description?: string } {
  const match = /^\*\*(.+?)\*\*\s*([\s\S]*)$/.exec(text)
  return match ? { subject: match[1]!, description: match[2]!.trim() } : {}
}

const refused =
  /^(approval policy is \w+; reject|(command|tool call) blocked by|MCP tool call blocked)|requires approval|rejected by (user|policy)|user rejected|patch rejected|denied by (sandbox|policy)|^(execution error: )?sandbox denied|^exec_command failed: CreateProcess \{ message: "Rejected\(/i

/** Whether the user, a rule, a hook or the sandbox denied the call. @example isRefusal('patch rejected by user') // true */
export function isRefusal(text: string): boolean {
  return refused.test(text.slice(0, 500))
}

/** The exit code of a command that timed out in Codex, as in the shell's `timeout`. */
const timedOut = 124

export function toStatus(item: AgentRecord): ToolStatus {
  const exit = item['exit_code']
  if (item['status'] === 'declined') return 'denied'
  const message = asString(asRecord(item['error'])?.['message'])
  if (message !== undefined && isRefusal(message)) return 'denied'
  if (message !== undefined && /user cancelled MCP tool call|^MCP tool call cancelled/.test(message))
    return 'cancelled'
  if (exit === timedOut) return 'timeout'
  const failed =
    item['status'] === 'failed' || (typeof exit === 'number' && exit !== 0) || message !== undefined
  return failed ? 'error' : 'success'
}

export function toOutput(item: AgentRecord): ToolOutput | undefined {
  const output = asString(item['aggregated_output'])
  if (output !== undefined) return prependExit(item['exit_code'], output)
  const message = asString(asRecord(item['error'])?.['message'])
  if (message !== undefined) return message
  const content = asRecord(item['result'])?.['content']
  return Array.isArray(content) ? (content as unknown[]).map(toMcpBlock) : undefined
}

export function prependExit(exit: unknown, output: string): string {
  return typeof exit === 'number' && exit !== 0 ? `Exit code ${exit}\n${output}` : output
}

function toMcpBlock(value: unknown): OutputBlock {
  const block = asRecord(value)
  const text = asString(block?.['text'])
  if (block?.['type'] === 'text' && text !== undefined) return { type: 'text', text }
  const data = asString(block?.['data'])
  const media = asString(block?.['mimeType'])
  const kind = block?.['type']
  if ((kind === 'image' || kind === 'audio') && data !== undefined && media !== undefined)
    return { type: kind, source: { type: 'base64', media_type: media, data } }
  return { type: 'text', text: JSON.stringify(value) ?? '' }
}

export function toUsage(usage: AgentRecord): Usage {
  const input = asCount(usage['input_tokens'])
  const output = asCount(usage['output_tokens'])
  return defined({
    inputTokens: input,
    outputTokens: output,
    totalTokens: input === undefined || output === undefined ? undefined : input + output,
    cachedTokens: asCount(usage['cached_input_tokens']),
    cacheWriteTokens: asCount(usage['cache_write_input_tokens']),
    thoughtTokens: asCount(usage['reasoning_output_tokens']),
  })
}

/** Reads an error message, which may be the JSON body of the API's response. */
export function parseFailure(message: string): Failure {
  try {
    const error = asRecord(asRecord(parseJson(message))?.['error'])
    const text = asString(error?.['message'])
    if (text !== undefined) return defined({ message: text, type: asString(error?.['type']) })
  } catch {
    // Most messages are plain text.
  }
  return { message }
}

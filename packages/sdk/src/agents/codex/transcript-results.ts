import { type ToolOutput, type ToolStatus, parseJson } from '@remora/protocol/plain'
import { asRecord, asString } from '../../events/fields.ts'
import type { AgentRecord } from '../../events/read-record.ts'
import { isRefusal, toOutput, toStatus, prependExit } from './content.ts'
import { getStartedAgent } from './tools.ts'
import { toBlocks } from './user-message.ts'

export interface Result {
  readonly status: ToolStatus
  readonly content?: ToolOutput
  readonly display?: unknown
  readonly subagent?: string
}

/** Reads a finished command, change or call. It has more details than the output that the model received. */
export function toItemResult(item: AgentRecord): Result {
  const content = toOutput(item) ?? joinStreams(item)
  const changes = asRecord(item['changes'])
  return {
    status: item['success'] === false ? 'error' : toStatus(item),
    ...(content === undefined ? {} : { content }),
    ...(changes ? { display: changes } : {}),
    ...getStartedAgent(item),
  }
}

function joinStreams(item: AgentRecord): string | undefined {
  const streams = [asString(item['stdout']), asString(item['stderr'])].filter(Boolean)
  return streams.length === 0 ? undefined : streams.join('\n')
}

/** Reads the end of an MCP call of versions before 0.140. */
export function toMcpResult(event: AgentRecord): Result {
  const result = asRecord(event['result'])
  const ok = asRecord(result?.['Ok'])
  const failure = asString(result?.['Err'])
  return toItemResult({
    status: ok?.['isError'] === true ? 'failed' : 'completed',
    result: ok,
    ...(failure === undefined ? {} : { error: { message: failure } }),
  })
}

/** Reads the output that the model received, which is all that some versions write. */
export function toOutputResult(output: unknown): Result {
  if (Array.isArray(output)) return { status: 'success', content: output.flatMap(toBlocks) }
  const fields = asRecord(output)
  if (fields) {
    const inner = toOutputResult(fields['content'] ?? fields['content_items'] ?? '')
    return fields['success'] === false && inner.status === 'success' ? { ...inner, status: 'error' } : inner
  }
  const text = asString(output) ?? ''
  return parseJsonResult(text) ?? parseTextResult(text)
}

/** Reads the output and the exit code as JSON, as written up to about 0.50. */
function parseJsonResult(text: string): Result | undefined {
  if (!text.startsWith('{')) return undefined
  try {
    const value = asRecord(parseJson(text))
    const output = asString(value?.['output'])
    const agent = asString(value?.['agent_id'])
    if (agent !== undefined) return { status: 'success', content: text, subagent: agent }
    if (output === undefined) return undefined
    const exit = asRecord(value?.['metadata'])?.['exit_code']
    return { status: toStatus({ exit_code: exit }), content: prependExit(exit, output) }
  } catch {
    return undefined
  }
}

const failed =
  /^(unsupported (custom tool )?call|failed to|execution error|exec_command failed|write_stdin failed|unable to|error[: ]|apply_patch verification failed|collab \w+ failed|unknown process id)/i

/** Reads an output that may start with lines about the run. */
function parseTextResult(text: string): Result {
  const head =
    /^((?:Chunk ID|Wall time|Exit code|Process |Original token count|Total output lines)[^\n]*\n)+Output:\n/.exec(
      text,
    )
  // After such lines is the command's own output, whose text must not be taken for a refusal.
  if (!head) return { status: toTextStatus(text), content: text }
  const rest = text.slice(head[0].length)
  // A patch within a command has these lines twice.
  const inner = rest.startsWith('Exit code: ') ? parseTextResult(rest) : undefined
  if (inner) return inner
  const code = /^(?:Exit code:|Process exited with code) (-?\d+)/m.exec(head[0])?.[1]
  const exit = code === undefined ? undefined : Number(code)
  return { status: toStatus({ exit_code: exit }), content: prependExit(exit, rest) }
}

/** The status by a message of Codex itself. */
function toTextStatus(text: string): ToolStatus {
  if (/(^|\n)(command )?aborted by user/.test(text)) return 'cancelled'
  if (isRefusal(text)) return 'denied'
  if (/^command timed out after \d+/.test(text)) return 'timeout'
  return failed.test(text) ? 'error' : 'success'
}

import { type ToolOutput, type ToolStatus, parseJson } from '@remora/protocol/plain'
import { asRecord, asString } from '../../events/fields.ts'
import type { AgentRecord } from '../../events/read-record.ts'
import { isRefusal, outputOf, statusOf, withExit } from './content.ts'
import { startedAgent } from './tools.ts'
import { blockOf } from './transcript-words.ts'

/** What a call gave back. */
export interface Result {
  readonly status: ToolStatus
  readonly content?: ToolOutput
  readonly display?: unknown
  readonly subagent?: string
}

/** What Codex keeps of a finished command, change or call; it knows more than what the model was told of it. */
export function itemResult(item: AgentRecord): Result {
  const content = outputOf(item) ?? words(item)
  const changes = asRecord(item['changes'])
  return {
    status: item['success'] === false ? 'error' : statusOf(item),
    ...(content === undefined ? {} : { content }),
    ...(changes ? { display: changes } : {}),
    ...startedAgent(item),
  }
}

function words(item: AgentRecord): string | undefined {
  const said = [asString(item['stdout']), asString(item['stderr'])].filter(Boolean)
  return said.length === 0 ? undefined : said.join('\n')
}

/** The end of an MCP call as versions before 0.140 keep it. */
export function mcpEnd(event: AgentRecord): Result {
  const result = asRecord(event['result'])
  const ok = asRecord(result?.['Ok'])
  const failure = asString(result?.['Err'])
  return itemResult({
    status: ok?.['isError'] === true ? 'failed' : 'completed',
    result: ok,
    ...(failure === undefined ? {} : { error: { message: failure } }),
  })
}

/** What the model was told of a call, which is all that some versions keep. */
export function outputResult(output: unknown): Result {
  if (Array.isArray(output)) return { status: 'success', content: output.flatMap(blockOf) }
  const fields = asRecord(output)
  if (fields) {
    const inner = outputResult(fields['content'] ?? fields['content_items'] ?? '')
    return fields['success'] === false && inner.status === 'success' ? { ...inner, status: 'error' } : inner
  }
  const text = asString(output) ?? ''
  return jsonResult(text) ?? textResult(text)
}

/** Up to about 0.50, the output and the exit code as JSON. */
function jsonResult(text: string): Result | undefined {
  if (!text.startsWith('{')) return undefined
  try {
    const value = asRecord(parseJson(text))
    const output = asString(value?.['output'])
    const agent = asString(value?.['agent_id'])
    if (agent !== undefined) return { status: 'success', content: text, subagent: agent }
    if (output === undefined) return undefined
    const exit = asRecord(value?.['metadata'])?.['exit_code']
    return { status: statusOf({ exit_code: exit }), content: withExit(exit, output) }
  } catch {
    return undefined
  }
}

const failed =
  /^(unsupported (custom tool )?call|failed to|execution error|exec_command failed|write_stdin failed|unable to|error[: ]|apply_patch verification failed|collab \w+ failed|unknown process id)/i

/** Lines about the run before the output itself. */
function textResult(text: string): Result {
  const head =
    /^((?:Chunk ID|Wall time|Exit code|Process |Original token count|Total output lines)[^\n]*\n)+Output:\n/.exec(
      text,
    )
  // Behind such a head stands what the command said, which may be about refusals too.
  if (!head) return { status: wordsStatus(text), content: text }
  const rest = text.slice(head[0].length)
  // A patch within a command has two of them.
  const inner = rest.startsWith('Exit code: ') ? textResult(rest) : undefined
  if (inner) return inner
  const code = /^(?:Exit code:|Process exited with code) (-?\d+)/m.exec(head[0])?.[1]
  const exit = code === undefined ? undefined : Number(code)
  return { status: statusOf({ exit_code: exit }), content: withExit(exit, rest) }
}

/** What Codex itself says of a call. */
function wordsStatus(text: string): ToolStatus {
  if (/(^|\n)(command )?aborted by user/.test(text)) return 'cancelled'
  if (isRefusal(text)) return 'denied'
  if (/^command timed out after \d+/.test(text)) return 'timeout'
  return failed.test(text) ? 'error' : 'success'
}

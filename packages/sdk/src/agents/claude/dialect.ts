import type { ToolOutput, ToolStatus } from '@remora/protocol/plain'
import type { ClaudeDialect } from '../../dialects/claude-content.ts'
import { asRecord } from '../../events/fields.ts'
import { toClaude } from './tools.ts'

export const dialect: ClaudeDialect = { title: 'Claude Code', toClaude, toToolStatus }

/** Includes the messages of both ACP wrappers and of the permission hooks of this and earlier versions of Remora. */
const denied =
  /^(<tool_use_error>)?(Error: )?(Claude requested permissions |Permission to use .* has been denied|Permission for this tool use was denied|The user doesn't want to |The user does not want this to be done\.|The user denied this request\.|User refused permission to run tool|The user cancelled this prompt\.|Cannot \w+ (to )?.* while in plan mode|.* was blocked\. For security, |PreToolUse:\S+ hook |Hook PreToolUse\S* denied |File is in a directory that is denied by your permission settings)/s
/** A shell command that needs approval. The command's own output follows a line with its exit code. */
const needsApproval = /^(?!Exit code )[^\n]*\b(requires? (explicit )?(approval|permission)|needs approval)\b/

/** How a call ended. The API only reports `is_error`; the rest is read from the text. */
function toToolStatus(isError: boolean, output: ToolOutput | undefined, display: unknown): ToolStatus {
  if (asRecord(display)?.['interrupted'] === true) return 'cancelled'
  if (!isError) return 'success'
  const text =
    typeof output === 'string'
      ? output
      : (output ?? []).map((block) => (block.type === 'text' ? block.text : '')).join('\n')
  // The second text is the result of calls that were waiting when the user interrupted the turn.
  if (/^(\[Request interrupted by user|The user doesn't want to take this action right now)/.test(text))
    return 'cancelled'
  if (/(^|\n)Command timed out after [\d.]+/.test(text)) return 'timeout'
  return denied.test(text) || needsApproval.test(text) ? 'denied' : 'error'
}

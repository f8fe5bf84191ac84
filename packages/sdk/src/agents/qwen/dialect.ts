import type { ToolOutput, ToolStatus } from '@remora/protocol/plain'
import type { ClaudeDialect } from '../../dialects/claude-content.ts'
import { shellStatus } from '../../dialects/shell-status.ts'
import { asCount, asRecord } from '../../events/fields.ts'
import { isKnownTool, toClaude } from './tools.ts'

export const title = 'Qwen Code'

export const dialect: ClaudeDialect = { title, toClaude, toToolStatus }

const denied =
  /^(?:Tool ".*" is denied|Tool ".*" requires user approval|Tool execution (?:was )?denied|Plan mode is active|.* blocked by hook|Execution stopped by hook|\[Operation Cancelled\] Reason: User (?:did not allow|denied)|.*(?:user (?:rejected|declined|did not allow)|User denied|declined to execute|not (?:allowed|permitted|available) in plan mode))/is

/** How a call ended. The status of a command is in the text for the model, or in what the CLI displays. */
export function toToolStatus(isError: boolean, output: ToolOutput | undefined, display: unknown): ToolStatus {
  const text = typeof output === 'string' ? output : ''
  if (!isError) {
    const code = asCount(asRecord(display)?.['exitCode'])
    return code === undefined ? shellStatus(text) : code === 0 ? 'success' : 'error'
  }
  const missing = /^Tool "(.*?)" not found in registry/.exec(text)?.[1]
  // A tool that a mode does not allow is not offered to the model at all.
  if (missing !== undefined) return isKnownTool(missing) ? 'denied' : 'error'
  if (denied.test(text)) return 'denied'
  return text.startsWith('[Operation Cancelled]') ? 'cancelled' : 'error'
}

import type { ToolStatus } from '@remora/protocol/plain'
import {
  type ClaudeCall,
  type ToolInput,
  defineTools,
  findTool,
  isWriting,
  mapCall,
  renameFields,
} from '../../contract/tools.ts'
import { asRecord } from '../../events/fields.ts'

export const tools = defineTools({
  read: { claude: 'Read', toInput: (input) => renameFields(input, { path: 'file_path' }) },
  bash: { claude: 'Bash', toInput: toCommand },
  edit: { claude: 'Edit', toInput: toEdit },
  write: { claude: 'Write', toInput: (input) => renameFields(input, { path: 'file_path' }) },
  grep: {
    claude: 'Grep',
    toInput: (input) => renameFields(input, { ignoreCase: '-i', context: '-C', limit: 'head_limit' }),
  },
  find: { claude: 'Glob' },
  ls: { claude: 'LS' },
})

/**
 * Maps a call to Claude's tool. A call of `edit` may replace several texts.
 *
 * @example toClaude('read', { path: 'a' }) // { name: 'Read', input: { file_path: 'a' } }
 */
export function toClaude(name: string, input: unknown): ClaudeCall {
  const call = mapCall(tools, name, input)
  const isMultiple = call.name === 'Edit' && Array.isArray(asRecord(call.input)?.['edits'])
  return isMultiple ? { ...call, name: 'MultiEdit' } : call
}

/** pi's timeout is in seconds, Claude's in milliseconds. */
function toCommand(input: ToolInput): ToolInput {
  const { timeout } = input
  return typeof timeout === 'number' ? { ...input, timeout: timeout * 1000 } : input
}

function toEdit({ edits, ...rest }: ToolInput): ToolInput {
  const names = { path: 'file_path', oldText: 'old_string', newText: 'new_string' }
  const input = renameFields(rest, names)
  if (!Array.isArray(edits)) return edits === undefined ? input : { ...input, edits }
  const renamed = (edits as unknown[]).map((edit) => renameFields(asRecord(edit) ?? {}, names))
  return renamed.length === 1 ? { ...input, ...renamed[0] } : { ...input, edits: renamed }
}

/**
 * The status of a finished call. The kind of a failure is only in the text.
 *
 * @example toStatus(true, 'Command aborted') // 'cancelled'
 */
export function toStatus(isError: boolean, output: string): ToolStatus {
  if (!isError) return 'success'
  // A mode leaves out tools. Those that only read are in every mode, but off by default.
  const missing = /^Tool (\S+) not found$/.exec(output)?.[1]
  const tool = missing === undefined ? undefined : findTool(tools, missing)
  if ((tool && isWriting(tool)) || output === 'Tool execution was blocked') return 'denied'
  if (/(?:^|\n)(?:Command|Operation) aborted$/.test(output)) return 'cancelled'
  return /(?:^|\n)Command timed out after [\d.]+ seconds$/.test(output) ? 'timeout' : 'error'
}

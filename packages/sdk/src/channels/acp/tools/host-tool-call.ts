import { fieldsOf, stringOf } from '../../../fields.ts'
import type { AgentRecord } from '../../../read-record.ts'
import { hostToolName } from './host-tool-name.ts'
import { toolServerName } from './tool-server-name.ts'

/**
 * Which of the program's own tools a permission request is about. Titles are not enough: Codex gives every tool the same
 * one, and Gemini before 0.61 takes the input for it.
 *
 * @example hostToolOf(request.params, ['clock']) // 'clock'
 */
export function hostToolOf(params: AgentRecord, names: readonly string[]): string | undefined {
  const call = fieldsOf(params['toolCall'])
  if (!call) return undefined
  const kind = stringOf(call['kind'])
  // A command may be called like a tool; then it is still a command.
  if (kind !== undefined && kind !== 'other') return undefined
  const meta = fieldsOf(fieldsOf(call['_meta'])?.['claudeCode'])
  for (const said of [meta?.['toolName'], call['title']]) {
    const name = hostToolName(stringOf(said) ?? '', names)
    if (name !== undefined) return name
  }
  return byCodex(fieldsOf(call['rawInput']), names) ?? byOptions(params['options'], names)
}

function byCodex(input: AgentRecord | undefined, names: readonly string[]): string | undefined {
  if (input?.['server'] === toolServerName) return names.find((name) => name === input['tool'])
  const request = fieldsOf(input?.['request'])
  const isCall = fieldsOf(request?.['_meta'])?.['codex_approval_kind'] === 'mcp_tool_call'
  if (!isCall || input?.['server_name'] !== toolServerName) return undefined
  return names.find(
    (name) => request?.['message'] === `Allow the ${toolServerName} MCP server to run tool "${name}"?`,
  )
}

/** Gemini names server and tool nowhere but in its options. */
function byOptions(options: unknown, names: readonly string[]): string | undefined {
  if (!Array.isArray(options)) return undefined
  const named = new Map(
    options.map(fieldsOf).map((option) => [option?.['optionId'], option?.['name']] as const),
  )
  if (named.get('proceed_always_server') !== `Always Allow ${toolServerName}`) return undefined
  return names.find((name) => named.get('proceed_always_tool') === `Always Allow ${name}`)
}

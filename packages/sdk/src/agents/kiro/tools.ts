import { type ClaudeCall, type ToolInput, defineTools, mapCall } from '../../contract/tools.ts'
import { asRecord, asString } from '../../events/fields.ts'

export const tools = defineTools({
  fs_read: { claude: 'Read', toInput: readInput },
  read: { claude: 'Read', toInput: readInput, versions: 'newer' },
  fs_write: { claude: 'Write' },
  write: { claude: 'Write', versions: 'newer' },
  execute_bash: { claude: 'Bash' },
  shell: { claude: 'Bash', versions: 'newer' },
  grep: { claude: 'Grep', versions: 'newer' },
  glob: { claude: 'Glob', versions: 'newer' },
  web_fetch: { claude: 'WebFetch', versions: 'newer' },
  web_search: { claude: 'WebSearch', versions: 'newer' },
  use_subagent: { claude: 'Task', versions: 'newer' },
  use_aws: { kind: 'execute' },
  introspect: { readOnly: true },
  knowledge: {},
  thinking: { readOnly: true },
  todo_list: { claude: 'TodoWrite' },
})

/**
 * Maps a call to Claude's tool if there is one.
 *
 * @example toClaude('fs_write', { command: 'create', path: '/a', file_text: 'x' }).name // 'Write'
 */
export function toClaude(name: string, input: unknown): ClaudeCall {
  const mcp = /^@([^/]+)\/(.+)$/s.exec(name)
  if (mcp) return { name: `mcp__${mcp[1]}__${mcp[2]}`, input }
  const call = mapCall(tools, name, input)
  const fields = asRecord(input)
  if (call.name !== 'Write' || !fields) return call
  const { command, path, file_text: content, old_str: before, new_str: after, ...rest } = fields
  if (command === 'str_replace')
    return { name: 'Edit', input: { file_path: path, old_string: before, new_string: after, ...rest } }
  // Insertions and additions have no counterpart and keep their own fields.
  return command === 'create' ? { name: call.name, input: { file_path: path, content, ...rest } } : call
}

function readInput(input: ToolInput): unknown {
  const operations = Array.isArray(input['operations']) ? (input['operations'] as unknown[]) : []
  const path = asString(asRecord(operations[0])?.['path']) ?? asString(input['path'])
  return path === undefined ? input : { file_path: path, ...input }
}

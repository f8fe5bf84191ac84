import type { ClaudeCall } from '../../contract/agent.ts'
import { asRecord, asString } from '../../events/fields.ts'

/** Kiro's tool names, including the shorter ones of newer versions. */
const names: Readonly<Record<string, string>> = {
  fs_read: 'Read',
  read: 'Read',
  fs_write: 'Write',
  write: 'Write',
  execute_bash: 'Bash',
  shell: 'Bash',
  grep: 'Grep',
  glob: 'Glob',
  web_fetch: 'WebFetch',
  web_search: 'WebSearch',
  use_subagent: 'Task',
  todo_list: 'TodoWrite',
}

/**
 * Maps a call to Claude's tool if there is one.
 *
 * @example toClaude('fs_write', { command: 'create', path: '/a', file_text: 'x' }).name // 'Write'
 */
export function toClaude(name: string, input: unknown): ClaudeCall {
  const mcp = /^@([^/]+)\/(.+)$/s.exec(name)
  if (mcp) return { name: `mcp__${mcp[1]}__${mcp[2]}`, input }
  const known = Object.hasOwn(names, name) ? names[name]! : name
  const fields = asRecord(input)
  if (known === 'Read') return { name: known, input: fields ? readInput(fields) : input }
  if (known !== 'Write' || !fields) return { name: known, input }
  const { command, path, file_text: content, old_str: before, new_str: after, ...rest } = fields
  if (command === 'str_replace')
    return { name: 'Edit', input: { file_path: path, old_string: before, new_string: after, ...rest } }
  // Insertions and additions have no counterpart and keep their own fields.
  return { name: known, input: command === 'create' ? { file_path: path, content, ...rest } : input }
}

function readInput(input: Readonly<Record<string, unknown>>): unknown {
  const operations = Array.isArray(input['operations']) ? (input['operations'] as unknown[]) : []
  const path = asString(asRecord(operations[0])?.['path']) ?? asString(input['path'])
  return path === undefined ? input : { file_path: path, ...input }
}

/** The built-in tools, by their native names. */
export const builtInTools: readonly string[] = [
  'fs_read',
  'fs_write',
  'execute_bash',
  'use_aws',
  'introspect',
  'knowledge',
  'thinking',
  'todo_list',
]

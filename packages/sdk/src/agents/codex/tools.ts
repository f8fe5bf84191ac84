import type { ClaudeCall } from '../../contract/agent.ts'
import { asRecord, asString } from '../../events/fields.ts'
import { unwrapShell } from './shell-command.ts'

type Input = Readonly<Record<string, unknown>>

/**
 * Converts an item of `exec --json` to Claude's name and input, if Claude has such a tool. Unknown fields are kept.
 *
 * @example toClaude('command_execution', { command: "/bin/bash -lc 'ls -l'" }) // { name: 'Bash', input: { command: 'ls -l' } }
 */
export function toClaude(name: string, input: unknown): ClaudeCall {
  const fields: Input = asRecord(input) ?? {}
  switch (name) {
    case 'command_execution': {
      const command = fields['command']
      return {
        name: 'Bash',
        input: typeof command === 'string' ? { ...fields, command: unwrapShell(command) } : input,
      }
    }
    case 'file_change':
      return toFileChange(fields, input)
    case 'mcp_tool_call': {
      const { server, tool } = fields
      return { name: `mcp__${String(server)}__${String(tool)}`, input: fields['arguments'] ?? {} }
    }
    case 'web_search':
      return toWebSearch(fields, input)
    case 'todo_list':
      return { name: 'TodoWrite', input: Array.isArray(fields['items']) ? toTodos(fields) : input }
    case 'collab_tool_call':
      // The other fields are the state of the call, which transcripts do not have.
      if (fields['tool'] === 'spawn_agent' && typeof fields['prompt'] === 'string')
        return { name: 'Task', input: { prompt: fields['prompt'] } }
      return { name: asString(fields['tool']) ?? name, input }
    default:
      return { name, input }
  }
}

/**
 * One patch may change several files, but Claude's tools change one: `file_path` is the first by name. The changes are
 * sorted, since Codex lists them in any order.
 */
function toFileChange(fields: Input, input: unknown): ClaudeCall {
  const changes = Array.isArray(fields['changes']) ? (fields['changes'] as unknown[]) : []
  const known = changes.map((change) => asRecord(change) ?? {})
  const paths = known.flatMap(({ path }) => asString(path) ?? []).toSorted()
  const name = known.length > 0 && known.every(({ kind }) => kind === 'add') ? 'Write' : 'Edit'
  if (paths.length === 0 || paths.length < known.length) return { name, input }
  const sorted = known.toSorted((one, other) => (String(one['path']) < String(other['path']) ? -1 : 1))
  return { name, input: { ...fields, file_path: paths[0], changes: sorted } }
}

/** Converts a search, or a page that was opened in it. */
export function toWebSearch(fields: Input, input: unknown): ClaudeCall {
  const action = asRecord(fields['action'])
  const url = asString(action?.['url'])
  if (url !== undefined) {
    const pattern = asString(action?.['pattern'])
    return { name: 'WebFetch', input: { url, ...(pattern === undefined ? {} : { prompt: pattern }) } }
  }
  const query = asString(action?.['query']) ?? asString(fields['query'])
  return { name: 'WebSearch', input: query === undefined ? input : { query } }
}

/** The thread of a started sub-agent, which is also the id in the name of its transcript. */
export function getStartedAgent(item: Input): { subagent?: string } {
  const threads: unknown = item['receiver_thread_ids']
  const thread = item['tool'] === 'spawn_agent' && Array.isArray(threads) ? asString(threads[0]) : undefined
  return thread === undefined ? {} : { subagent: thread }
}

function toTodos(fields: Input): Record<string, unknown> {
  const { items, ...rest } = fields
  const entries = (items as unknown[]).map((item) => {
    if (typeof item !== 'object' || item === null) return item
    const { text, completed, ...more } = item as Input
    return { content: text, status: completed === true ? 'completed' : 'pending', ...more }
  })
  return { ...rest, todos: entries }
}

/** The CLI's built-in tools, by its own names. */
export const builtInTools: readonly string[] = [
  'exec_command',
  'write_stdin',
  'shell',
  'apply_patch',
  'update_plan',
  'view_image',
  'web_search',
  'spawn_agent',
  'request_user_input',
]

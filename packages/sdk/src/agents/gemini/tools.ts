import type { ClaudeCall } from '../../contract/agent.ts'

type Input = Readonly<Record<string, unknown>>

interface Mapping {
  readonly name: string
  input?(input: Input): Record<string, unknown>
}

// Older names are listed too, because sessions of every version are read.
const mappings: Readonly<Record<string, Mapping>> = {
  read_file: { name: 'Read', input: readInput },
  read_many_files: { name: 'Read', input: manyInput },
  write_file: { name: 'Write', input: (input) => rename(input, { path: 'file_path' }) },
  replace: { name: 'Edit', input: editInput },
  run_shell_command: {
    name: 'Bash',
    input: (input) => rename(input, { is_background: 'run_in_background' }),
  },
  glob: { name: 'Glob', input: (input) => rename(input, { dir_path: 'path' }) },
  list_directory: {
    name: 'Glob',
    input: (input) => ({ pattern: '*', ...rename(input, { dir_path: 'path' }) }),
  },
  grep_search: { name: 'Grep', input: grepInput },
  search_file_content: { name: 'Grep', input: grepInput },
  google_web_search: { name: 'WebSearch' },
  web_fetch: { name: 'WebFetch', input: fetchInput },
  write_todos: { name: 'TodoWrite', input: todoInput },
  ask_user: { name: 'AskUserQuestion' },
  exit_plan_mode: { name: 'ExitPlanMode' },
  invoke_agent: { name: 'Task', input: (input) => rename(input, { agent_name: 'subagent_type' }) },
}

/**
 * Maps a call to Claude's tool if there is one. Unknown fields are kept.
 *
 * @example toClaude('read_file', { absolute_path: '/a' }) // { name: 'Read', input: { file_path: '/a' } }
 */
export function toClaude(name: string, input: unknown): ClaudeCall {
  const mcp = /^mcp_([^_].*?)_(.+)$/s.exec(name)
  if (mcp) return { name: `mcp__${mcp[1]}__${mcp[2]}`, input }
  const mapping = Object.hasOwn(mappings, name) ? mappings[name] : undefined
  if (!mapping) return { name, input }
  const fits = typeof input === 'object' && input !== null && !Array.isArray(input)
  return { name: mapping.name, input: fits && mapping.input ? mapping.input(input as Input) : input }
}

/** Whether the CLI has a tool of this name, by any version. @example isKnownTool('glob') // true */
export function isKnownTool(name: string): boolean {
  return Object.hasOwn(mappings, name)
}

function rename(input: Input, names: Readonly<Record<string, string>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(input).map(([key, value]) => [names[key] ?? key, value]))
}

function readInput(input: Input): Record<string, unknown> {
  const {
    start_line: start,
    end_line: end,
    ...rest
  } = rename(input, { absolute_path: 'file_path', path: 'file_path' })
  const from = typeof start === 'number' ? start : undefined
  return {
    ...rest,
    ...(from === undefined ? {} : { offset: from }),
    ...(typeof end === 'number' ? { limit: end - (from ?? 1) + 1 } : {}),
  }
}

/** Several files or patterns in one call; Claude's tool takes only the first. */
function manyInput(input: Input): Record<string, unknown> {
  const files = [input['include'], input['paths']].find((list) => Array.isArray(list)) as
    | unknown[]
    | undefined
  return typeof files?.[0] === 'string' ? { file_path: files[0], ...input } : { ...input }
}

function editInput(input: Input): Record<string, unknown> {
  const { instruction: _, expected_replacements: expected, allow_multiple: multiple, ...rest } = input
  return {
    ...rest,
    ...(multiple === true || (typeof expected === 'number' && expected > 1) ? { replace_all: true } : {}),
  }
}

function grepInput(input: Input): Record<string, unknown> {
  return rename(input, { dir_path: 'path', include: 'glob', include_pattern: 'glob' })
}

/** Gemini puts URLs into the prompt; Claude's tool takes only the first. */
function fetchInput(input: Input): Record<string, unknown> {
  const url =
    typeof input['prompt'] === 'string' ? /https?:\/\/[^\s"'<>)]+/.exec(input['prompt'])?.[0] : undefined
  return url === undefined || 'url' in input ? { ...input } : { url, ...input }
}

function todoInput(input: Input): Record<string, unknown> {
  if (!Array.isArray(input['todos'])) return { ...input }
  const todos = (input['todos'] as unknown[]).map((todo) =>
    typeof todo === 'object' && todo !== null ? rename(todo as Input, { description: 'content' }) : todo,
  )
  return { ...input, todos }
}

/** The built-in tools, by their native names. */
export const builtInTools: readonly string[] = [
  'read_file',
  'read_many_files',
  'write_file',
  'replace',
  'run_shell_command',
  'glob',
  'list_directory',
  'grep_search',
  'google_web_search',
  'web_fetch',
  'write_todos',
  'save_memory',
  'ask_user',
  'activate_skill',
  'enter_plan_mode',
  'exit_plan_mode',
  'invoke_agent',
]

import {
  type ClaudeCall,
  type ToolInput,
  defineTools,
  findTool,
  mapCall,
  renameFields,
} from '../../contract/tools.ts'

/** The tool that runs commands. */
export const shellTool = 'run_shell_command'

// Older names are listed too, because sessions of every version are read.
export const tools = defineTools({
  read_file: { claude: 'Read', toInput: readInput, dialog: /^ReadFile\b/ },
  read_many_files: { claude: 'Read', toInput: manyInput },
  write_file: {
    claude: 'Write',
    toInput: (input) => renameFields(input, { path: 'file_path' }),
    dialog: /^WriteFile\s+Writing to (?<file_path>.+?)(?: \(.*\))?$/,
  },
  replace: { claude: 'Edit', toInput: editInput, dialog: /^Edit\s+(?<file_path>.+?)(?:: .*)?$/ },
  [shellTool]: {
    claude: 'Bash',
    toInput: (input) => renameFields(input, { is_background: 'run_in_background' }),
    dialog: /^Shell\b/,
  },
  glob: {
    claude: 'Glob',
    toInput: (input) => renameFields(input, { dir_path: 'path' }),
    dialog: /^FindFiles\b/,
  },
  list_directory: {
    claude: 'Glob',
    toInput: (input) => ({ pattern: '*', ...renameFields(input, { dir_path: 'path' }) }),
  },
  grep_search: { claude: 'Grep', toInput: grepInput, dialog: /^SearchText\b/ },
  search_file_content: { claude: 'Grep', toInput: grepInput, versions: 'older' },
  google_web_search: { claude: 'WebSearch', dialog: /^GoogleSearch\b/ },
  web_fetch: { claude: 'WebFetch', toInput: fetchInput },
  write_todos: { claude: 'TodoWrite', toInput: todoInput },
  save_memory: {},
  ask_user: { claude: 'AskUserQuestion' },
  activate_skill: { readOnly: true },
  enter_plan_mode: { kind: 'switch_mode', readOnly: true },
  exit_plan_mode: { claude: 'ExitPlanMode' },
  // Policies apply to the calls of a sub-agent too.
  invoke_agent: {
    claude: 'Task',
    readOnly: true,
    toInput: (input) => renameFields(input, { agent_name: 'subagent_type' }),
  },
})

/**
 * Maps a call to Claude's tool if there is one. Unknown fields are kept.
 *
 * @example toClaude('read_file', { absolute_path: '/a' }) // { name: 'Read', input: { file_path: '/a' } }
 */
export function toClaude(name: string, input: unknown): ClaudeCall {
  const mcp = /^mcp_([^_].*?)_(.+)$/s.exec(name)
  if (mcp) return { name: `mcp__${mcp[1]}__${mcp[2]}`, input }
  return mapCall(tools, name, input)
}

/** Whether the CLI has a tool of this name, by any version. @example isKnownTool('glob') // true */
export function isKnownTool(name: string): boolean {
  return findTool(tools, name) !== undefined
}

function readInput(input: ToolInput): Record<string, unknown> {
  const {
    start_line: start,
    end_line: end,
    ...rest
  } = renameFields(input, { absolute_path: 'file_path', path: 'file_path' })
  const from = typeof start === 'number' ? start : undefined
  return {
    ...rest,
    ...(from === undefined ? {} : { offset: from }),
    ...(typeof end === 'number' ? { limit: end - (from ?? 1) + 1 } : {}),
  }
}

/** Several files or patterns in one call; Claude's tool takes only the first. */
function manyInput(input: ToolInput): Record<string, unknown> {
  const files = [input['include'], input['paths']].find((list) => Array.isArray(list)) as
    | unknown[]
    | undefined
  return typeof files?.[0] === 'string' ? { file_path: files[0], ...input } : { ...input }
}

function editInput(input: ToolInput): Record<string, unknown> {
  const { instruction: _, expected_replacements: expected, allow_multiple: multiple, ...rest } = input
  return {
    ...rest,
    ...(multiple === true || (typeof expected === 'number' && expected > 1) ? { replace_all: true } : {}),
  }
}

function grepInput(input: ToolInput): Record<string, unknown> {
  return renameFields(input, { dir_path: 'path', include: 'glob', include_pattern: 'glob' })
}

/** Gemini puts URLs into the prompt; Claude's tool takes only the first. */
function fetchInput(input: ToolInput): Record<string, unknown> {
  const url =
    typeof input['prompt'] === 'string' ? /https?:\/\/[^\s"'<>)]+/.exec(input['prompt'])?.[0] : undefined
  return url === undefined || 'url' in input ? { ...input } : { url, ...input }
}

function todoInput(input: ToolInput): Record<string, unknown> {
  if (!Array.isArray(input['todos'])) return { ...input }
  const todos = (input['todos'] as unknown[]).map((todo) =>
    typeof todo === 'object' && todo !== null
      ? renameFields(todo as ToolInput, { description: 'content' })
      : todo,
  )
  return { ...input, todos }
}

import { type ClaudeCall, defineTools, findTool, mapCall, renameFields } from '../../contract/tools.ts'
import { asRecord, asString } from '../../events/fields.ts'

/** The tool that runs commands. */
export const shellTool = 'run_shell_command'

/** The tool that calls tools of which the model was not told at the start, such as those of MCP servers. */
const bridge = 'tool_call'

// Most inputs have Claude's fields already.
export const tools = defineTools({
  read_file: { claude: 'Read', dialog: /^ReadFile\b/ },
  write_file: { claude: 'Write', dialog: /^WriteFile\s+Writing to (?<file_path>.+?)$/ },
  edit: { claude: 'Edit', dialog: /^Edit\s+(?<file_path>.+?)(?:: .*)?$/ },
  notebook_edit: { claude: 'NotebookEdit' },
  [shellTool]: {
    claude: 'Bash',
    toInput: (input) => renameFields(input, { is_background: 'run_in_background' }),
    dialog: /^Shell\b/,
  },
  monitor: { kind: 'execute' },
  glob: { claude: 'Glob', dialog: /^Glob\b/ },
  list_directory: { claude: 'Glob', toInput: (input) => ({ pattern: '*', ...input }) },
  grep_search: { claude: 'Grep', dialog: /^Grep\b/ },
  web_fetch: { claude: 'WebFetch', dialog: /^WebFetch\b/ },
  web_search: { claude: 'WebSearch' },
  todo_write: { claude: 'TodoWrite' },
  ask_user_question: { claude: 'AskUserQuestion' },
  enter_plan_mode: { kind: 'switch_mode', readOnly: true },
  exit_plan_mode: { claude: 'ExitPlanMode' },
  // A sub-agent of a session in plan mode is in plan mode too.
  agent: { claude: 'Task', readOnly: true },
  skill: { claude: 'Skill', readOnly: true },
  save_memory: {},
  enter_worktree: {},
  exit_worktree: {},
  cron_create: {},
  cron_delete: {},
  lsp: { readOnly: true },
  tool_search: { claude: 'ToolSearch', readOnly: true },
  // The call that it makes is checked like any other.
  [bridge]: { readOnly: true },
})

/**
 * Converts a call to Claude's tool if there is one. A tool that the model was not told of at the start is called by
 * another tool, which has its name and input.
 *
 * @example toClaude('tool_call', { name: 'todo_write', arguments: { todos: [] } }).name // 'TodoWrite'
 */
export function toClaude(name: string, input: unknown): ClaudeCall {
  const inner = name === bridge ? asRecord(input) : undefined
  const called = asString(inner?.['name'])
  return called === undefined
    ? mapCall(tools, name, input)
    : mapCall(tools, called, inner?.['arguments'] ?? {})
}

/** @example isKnownTool('glob') // true */
export function isKnownTool(name: string): boolean {
  return findTool(tools, name) !== undefined
}

import { type ClaudeCall, defineTools, mapCall } from '../../contract/tools.ts'

// Claude's names are the shared ones; only names of newer versions differ.
export const tools = defineTools({
  Bash: { dialog: /^Bash command$/ },
  BashOutput: { readOnly: true },
  KillShell: {},
  Read: { dialog: /^Read file$/ },
  Edit: { dialog: /^Edit file$/ },
  MultiEdit: { versions: 'older' },
  Write: { dialog: /^(?:Create|Overwrite) file$/ },
  NotebookEdit: {},
  Glob: {},
  Grep: {},
  LS: { versions: 'older' },
  Task: {},
  Agent: { claude: 'Task' },
  TodoWrite: {},
  WebFetch: { dialog: /^Fetch$/ },
  WebSearch: {},
  AskUserQuestion: {},
  EnterPlanMode: { kind: 'switch_mode', readOnly: true },
  ExitPlanMode: {},
  Skill: { readOnly: true },
  ToolSearch: { readOnly: true },
})

/**
 * Converts a call to the shared names; the input stays as it is.
 *
 * @example toClaude('Agent', { prompt: 'look' }) // { name: 'Task', input: { prompt: 'look' } }
 */
export function toClaude(name: string, input: unknown): ClaudeCall {
  return mapCall(tools, name, input)
}

import { type ClaudeCall, defineTools, mapCall, renameFields, type ToolInput } from '../../contract/tools.ts'

/** The tool that runs commands. */
export const shellTool = 'bash'

const paths = (input: ToolInput) => renameFields(input, { path: 'file_path' })

export const tools = defineTools({
  view: { claude: 'Read', toInput: toRead },
  create: {
    claude: 'Write',
    toInput: (input) =>
      renameFields(input, { path: 'file_path', fileName: 'file_path', file_text: 'content' }),
  },
  edit: {
    claude: 'Edit',
    toInput: (input) =>
      renameFields(input, {
        path: 'file_path',
        fileName: 'file_path',
        old_str: 'old_string',
        new_str: 'new_string',
      }),
  },
  // Declared instead of `edit` for some models.
  apply_patch: { kind: 'edit' },
  [shellTool]: { claude: 'Bash' },
  read_bash: { readOnly: true },
  stop_bash: {},
  list_bash: { readOnly: true },
  grep: { claude: 'Grep', toInput: (input) => renameFields(input, { paths: 'path' }) },
  glob: { claude: 'Glob', toInput: (input) => renameFields(input, { paths: 'path' }) },
  web_fetch: { claude: 'WebFetch' },
  ask_user: { claude: 'AskUserQuestion', toInput: toQuestions },
  exit_plan_mode: { claude: 'ExitPlanMode', toInput: (input) => renameFields(input, { summary: 'plan' }) },
  task: { claude: 'Task', toInput: (input) => renameFields(input, { agent_type: 'subagent_type' }) },
  read_agent: { readOnly: true },
  list_agents: { readOnly: true },
  write_agent: {},
  skill: { claude: 'Skill', readOnly: true },
  fetch_copilot_cli_documentation: { readOnly: true },
  // The database of the session, in which the model keeps its todos.
  sql: { readOnly: true },
  session_store_sql: { readOnly: true },
})

/** A range has a first and a last line; the last is -1 for the end of the file. */
function toRead({ view_range: range, ...input }: ToolInput): unknown {
  const [first, last] = Array.isArray(range) ? (range as unknown[]) : []
  if (typeof first !== 'number') return paths(input)
  const limit = typeof last === 'number' && last >= first ? { limit: last - first + 1 } : {}
  return { ...paths(input), offset: first, ...limit }
}

/** It asks one question, without headings. */
function toQuestions({ question, choices }: ToolInput): unknown {
  const options = Array.isArray(choices) ? choices.map((label: unknown) => ({ label })) : []
  return { questions: [{ question, options }] }
}

/** @example toClaude('bash', { command: 'ls' }).name // 'Bash' */
export function toClaude(name: string, input: unknown): ClaudeCall {
  return mapCall(tools, name, input)
}

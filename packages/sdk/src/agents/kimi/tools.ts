import { type ClaudeCall, defineTools, mapCall, renameFields, type ToolInput } from '../../contract/tools.ts'

/** The tool that runs commands. */
export const shellTool = 'Bash'

const toFile = (input: ToolInput) => renameFields(input, { path: 'file_path' })

export const tools = defineTools({
  Read: {
    claude: 'Read',
    toInput: (input) => renameFields(input, { path: 'file_path', line_offset: 'offset', n_lines: 'limit' }),
  },
  ReadMediaFile: { claude: 'Read', toInput: toFile },
  Write: { claude: 'Write', toInput: toFile },
  Edit: { claude: 'Edit', toInput: toFile },
  [shellTool]: { claude: 'Bash' },
  Grep: { claude: 'Grep' },
  Glob: { claude: 'Glob' },
  FetchURL: { claude: 'WebFetch' },
  WebSearch: { claude: 'WebSearch' },
  TodoList: { claude: 'TodoWrite', toInput: toTodos },
  AskUserQuestion: { claude: 'AskUserQuestion' },
  ExitPlanMode: { claude: 'ExitPlanMode' },
  EnterPlanMode: {},
  Agent: { claude: 'Task' },
  AgentSwarm: {},
  Skill: { claude: 'Skill' },
  NotifyUser: { readOnly: true },
  TaskList: { readOnly: true },
  TaskOutput: { readOnly: true },
  WaitFor: { readOnly: true },
  TaskStop: {},
  CronList: { readOnly: true },
  CronCreate: {},
  CronDelete: {},
  GetGoal: { readOnly: true },
  CreateGoal: {},
  SetGoalBudget: {},
  UpdateGoal: {},
})

function toTodos({ todos, ...input }: ToolInput): unknown {
  if (!Array.isArray(todos)) return input
  const toTodo = ({ title, status }: ToolInput) => ({
    content: title,
    status: status === 'done' ? 'completed' : status,
  })
  return { ...input, todos: (todos as ToolInput[]).map(toTodo) }
}

/** @example toClaude('Write', { path: 'a', content: '' }).input // { file_path: 'a', content: '' } */
export function toClaude(name: string, input: unknown): ClaudeCall {
  return mapCall(tools, name, input)
}

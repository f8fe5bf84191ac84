/** A tool call with the name and input that all agents share. */
export interface ClaudeCall {
  readonly name: string
  readonly input: unknown
}

// Claude's names are the shared ones; only names of newer versions differ.
const names: Readonly<Record<string, string>> = { Agent: 'Task' }

/**
 * Converts a call to the shared names; the input stays as it is.
 *
 * @example toClaude('Agent', { prompt: 'look' }) // { name: 'Task', input: { prompt: 'look' } }
 */
export function toClaude(name: string, input: unknown): ClaudeCall {
  return { name: Object.hasOwn(names, name) ? names[name]! : name, input }
}

/** The CLI's built-in tools, by its own names. */
export const builtInTools: readonly string[] = [
  'Bash',
  'BashOutput',
  'KillShell',
  'Read',
  'Write',
  'Edit',
  'NotebookEdit',
  'Glob',
  'Grep',
  'Agent',
  'Task',
  'TodoWrite',
  'WebFetch',
  'WebSearch',
  'AskUserQuestion',
  'EnterPlanMode',
  'ExitPlanMode',
  'Skill',
  'ToolSearch',
]

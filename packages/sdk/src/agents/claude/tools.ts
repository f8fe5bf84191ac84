/** A tool call in the words that all agents share. */
export interface ClaudeCall {
  readonly name: string
  readonly input: unknown
}

// Claude's own words are the shared ones; only names that came later differ.
const names: Readonly<Record<string, string>> = { Agent: 'Task' }

/**
 * Tells a call in the shared words; the input stays as it is.
 *
 * @example toClaude('Agent', { prompt: 'look' }) // { name: 'Task', input: { prompt: 'look' } }
 */
export function toClaude(name: string, input: unknown): ClaudeCall {
  return { name: Object.hasOwn(names, name) ? names[name]! : name, input }
}

/** The tools that this CLI brings along, by its own names. */
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

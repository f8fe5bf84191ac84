import type { ClaudeCall } from '../../contract/agent.ts'

type Input = Readonly<Record<string, unknown>>

interface Mapping {
  readonly name: string
  readonly fields?: Readonly<Record<string, string>>
}

const edited = {
  filePath: 'file_path',
  oldString: 'old_string',
  newString: 'new_string',
  replaceAll: 'replace_all',
}

const mappings: Readonly<Record<string, Mapping>> = {
  bash: { name: 'Bash' },
  read: { name: 'Read', fields: { filePath: 'file_path' } },
  write: { name: 'Write', fields: { filePath: 'file_path' } },
  edit: { name: 'Edit', fields: edited },
  multiedit: { name: 'MultiEdit', fields: edited },
  patch: { name: 'Edit' },
  apply_patch: { name: 'Edit' },
  glob: { name: 'Glob' },
  list: { name: 'Glob' },
  grep: { name: 'Grep', fields: { include: 'glob' } },
  todowrite: { name: 'TodoWrite' },
  webfetch: { name: 'WebFetch' },
  websearch: { name: 'WebSearch' },
  task: { name: 'Task' },
  question: { name: 'AskUserQuestion' },
  plan_exit: { name: 'ExitPlanMode' },
}

/**
 * Maps a call to Claude's tool if there is one. Unknown fields are kept. MCP tools are named by server and tool;
 * splitting the name needs the list of servers.
 *
 * @example toClaude('read', { filePath: '/a' }) // { name: 'Read', input: { file_path: '/a' } }
 */
export function toClaude(name: string, input: unknown, servers: readonly string[] = []): ClaudeCall {
  const server = servers.find((each) => name.startsWith(`${each}_`))
  if (server !== undefined) return { name: `mcp__${server}__${name.slice(server.length + 1)}`, input }
  const mapping = Object.hasOwn(mappings, name) ? mappings[name]! : undefined
  if (!mapping) return { name, input }
  if (typeof input !== 'object' || input === null || Array.isArray(input))
    return { name: mapping.name, input }
  const renamed = rename(input as Input, mapping.fields ?? {})
  if (name === 'list') return { name: 'Glob', input: { pattern: '*', ...renamed } }
  if (name !== 'multiedit' || !Array.isArray(renamed['edits'])) return { name: mapping.name, input: renamed }
  const edits = (renamed['edits'] as unknown[]).map((edit) =>
    typeof edit === 'object' && edit !== null ? rename(edit as Input, edited) : edit,
  )
  return { name: mapping.name, input: { ...renamed, edits } }
}

/** Tools of earlier versions, which were removed, not forbidden. */
const gone: readonly string[] = ['multiedit', 'patch', 'list']

/** Whether OpenCode has this tool, so that "not found" means it was forbidden. @example isKnownTool('bash') // true */
export function isKnownTool(name: string): boolean {
  return Object.hasOwn(mappings, name) && !gone.includes(name)
}

function rename(input: Input, names: Readonly<Record<string, string>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(input).map(([key, value]) => [Object.hasOwn(names, key) ? names[key]! : key, value]),
  )
}

/** The built-in tools, by their native names. */
export const builtInTools: readonly string[] = [
  'bash',
  'read',
  'write',
  'edit',
  'multiedit',
  'apply_patch',
  'glob',
  'list',
  'grep',
  'todowrite',
  'webfetch',
  'websearch',
  'task',
  'question',
  'skill',
  'plan_exit',
]

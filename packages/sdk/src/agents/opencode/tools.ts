import {
  type ClaudeCall,
  type ToolInput,
  defineTools,
  findTool,
  mapCall,
  renameFields,
} from '../../contract/tools.ts'

const edited = {
  filePath: 'file_path',
  oldString: 'old_string',
  newString: 'new_string',
  replaceAll: 'replace_all',
}

export const tools = defineTools({
  bash: { claude: 'Bash', dialog: /^# Shell command$/ },
  read: { claude: 'Read', toInput: toFile, dialog: /^→ Read (?<file_path>.+)$/ },
  write: { claude: 'Write', toInput: toFile },
  edit: {
    claude: 'Edit',
    toInput: (input) => renameFields(input, edited),
    dialog: /^→ Edit (?<file_path>.+)$/,
  },
  multiedit: { claude: 'MultiEdit', toInput: toEdits, versions: 'older' },
  patch: { claude: 'Edit', versions: 'older' },
  apply_patch: { claude: 'Edit' },
  glob: { claude: 'Glob', dialog: /^✱ Glob "(?<pattern>.*)"$/ },
  list: {
    claude: 'Glob',
    toInput: (input) => ({ pattern: '*', ...input }),
    versions: 'older',
    dialog: /^→ List (?<path>.+)$/,
  },
  grep: {
    claude: 'Grep',
    toInput: (input) => renameFields(input, { include: 'glob' }),
    dialog: /^✱ Grep "(?<pattern>.*)"$/,
  },
  lsp: { kind: 'search', readOnly: true, versions: 'newer' },
  webfetch: { claude: 'WebFetch', dialog: /^% WebFetch (?<url>.+)$/ },
  websearch: { claude: 'WebSearch', dialog: /^◈ .*"(?<query>.*)"$/ },
  codesearch: { kind: 'fetch', readOnly: true, versions: 'newer' },
  todowrite: { claude: 'TodoWrite' },
  todoread: { readOnly: true, versions: 'older' },
  // A sub-agent has permissions of its own.
  task: { claude: 'Task', dialog: /^# \S+ Task$/ },
  question: { claude: 'AskUserQuestion' },
  skill: { readOnly: true },
  plan_exit: { claude: 'ExitPlanMode' },
})

/**
 * Maps a call to Claude's tool if there is one. Unknown fields are kept. MCP tools are named by server and tool;
 * splitting the name needs the list of servers.
 *
 * @example toClaude('read', { filePath: '/a' }) // { name: 'Read', input: { file_path: '/a' } }
 */
export function toClaude(name: string, input: unknown, servers: readonly string[] = []): ClaudeCall {
  const server = servers.find((each) => name.startsWith(`${each}_`))
  if (server !== undefined) return { name: `mcp__${server}__${name.slice(server.length + 1)}`, input }
  return mapCall(tools, name, input)
}

/** Whether OpenCode has this tool, so that "not found" means it was forbidden. @example isKnownTool('bash') // true */
export function isKnownTool(name: string): boolean {
  const tool = findTool(tools, name)
  return tool !== undefined && tool.versions !== 'older'
}

function toFile(input: ToolInput): ToolInput {
  return renameFields(input, { filePath: 'file_path' })
}

function toEdits(input: ToolInput): ToolInput {
  const renamed = renameFields(input, edited)
  if (!Array.isArray(renamed['edits'])) return renamed
  const edits = (renamed['edits'] as unknown[]).map((edit) =>
    typeof edit === 'object' && edit !== null ? renameFields(edit as ToolInput, edited) : edit,
  )
  return { ...renamed, edits }
}

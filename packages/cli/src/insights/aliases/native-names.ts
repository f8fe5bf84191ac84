import type { PaveAgent } from '@remora/insights'

/** Claude's tool names and the CLI's names for them. The first is recommended. */
type Names = Readonly<Record<string, readonly string[]>>

const gemini: Names = {
  Read: ['read_file', 'read_many_files'],
  Write: ['write_file'],
  Edit: ['replace'],
  Bash: ['run_shell_command'],
  Glob: ['glob', 'list_directory'],
  Grep: ['grep_search', 'search_file_content'],
  WebSearch: ['google_web_search'],
  WebFetch: ['web_fetch'],
  TodoWrite: ['write_todos'],
  AskUserQuestion: ['ask_user'],
  ExitPlanMode: ['exit_plan_mode'],
  Task: ['invoke_agent'],
}

// Codex hooks use Claude's names already; its sessions use the model's tool names.
const codex: Names = {
  Edit: ['apply_patch'],
  Write: ['apply_patch'],
  exec_command: ['Bash'],
  shell: ['Bash'],
  shell_command: ['Bash'],
}

/** Parameter names that mean the same in CLIs and their versions. */
const params: readonly (readonly string[])[] = [
  ['file_path', 'absolute_path', 'filePath'],
  ['path', 'dir_path'],
  ['glob', 'include', 'include_pattern'],
]

/** The CLIs with a hook before each tool call, and their names. */
export const paveAgents: readonly PaveAgent[] = [
  { id: 'gemini', dialect: 'gemini', tools: (tool) => named(geminiServerTool(tool), gemini), params: meant },
  {
    id: 'claude',
    dialect: 'claude',
    tools: (tool) => named(tool, { Task: ['Task', 'Agent'] }),
    params: meant,
  },
  { id: 'codex', dialect: 'codex', tools: (tool) => named(tool, codex), params: meant },
]

function named(tool: string, names: Names): readonly string[] {
  return Object.hasOwn(names, tool) ? names[tool]! : [tool]
}

/** Gemini names MCP tools with one underscore where other CLIs use two. */
function geminiServerTool(tool: string): string {
  return tool.replace(/^mcp__(.+?)__/, 'mcp_$1_')
}

function meant(param: string): readonly string[] {
  return params.find((names) => names.includes(param)) ?? [param]
}

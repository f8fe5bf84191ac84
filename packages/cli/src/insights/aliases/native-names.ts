import type { PaveAgent } from '@remora/insights'

/** Claude's names for tools, and those of a CLI for the same: the first is the one to recommend. */
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

// What it tells its hooks has Claude's names already; its sessions have the names of the model's tools.
const codex: Names = {
  Edit: ['apply_patch'],
  Write: ['apply_patch'],
  exec_command: ['Bash'],
  shell: ['Bash'],
  shell_command: ['Bash'],
}

/** The parameters that mean the same, however a CLI and its versions write them. */
const params: readonly (readonly string[])[] = [
  ['file_path', 'absolute_path', 'filePath'],
  ['path', 'dir_path'],
  ['glob', 'include', 'include_pattern'],
]

/** The CLIs that can be answered before a tool runs, and how each names things. */
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

/** Gemini writes the tools of MCP servers with one underscore where the others have two. */
function geminiServerTool(tool: string): string {
  return tool.replace(/^mcp__(.+?)__/, 'mcp_$1_')
}

function meant(param: string): readonly string[] {
  return params.find((names) => names.includes(param)) ?? [param]
}

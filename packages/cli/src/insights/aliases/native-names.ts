import type { PaveAgent } from '@remora/insights'
import { type Tool, findAgent, listTools } from '@remora/sdk/hooks'

/** Parameter names that mean the same in CLIs and their versions. */
const params: readonly (readonly string[])[] = [
  ['file_path', 'absolute_path', 'filePath'],
  ['path', 'dir_path'],
  ['glob', 'include', 'include_pattern'],
]

/** The CLIs with a hook before each tool call, and their names. */
export const paveAgents: readonly PaveAgent[] = [
  {
    id: 'gemini',
    dialect: 'gemini',
    tools: (tool) => named('gemini', geminiServerTool(tool)),
    params: meant,
  },
  { id: 'claude', dialect: 'claude', tools: (tool) => named('claude', tool), params: meant },
  { id: 'codex', dialect: 'codex', tools: namedByCodex, params: meant },
]

/** The CLI's names for one of Claude's tools. The first is recommended. */
function named(agent: string, tool: string): readonly string[] {
  const names = listNatives(agent, ({ claude }) => claude === tool)
  return names.length > 0 ? names : [tool]
}

/** Codex hooks use Claude's names for commands; its sessions use the model's tool names. */
function namedByCodex(tool: string): readonly string[] {
  if (tool === 'Edit' || tool === 'Write')
    return listNatives('codex', ({ kind, reported }) => kind === 'edit' && !reported)
  const runsCommands = listNatives('codex', ({ claude }) => claude === 'Bash').includes(tool)
  return [runsCommands ? 'Bash' : tool]
}

function listNatives(agent: string, matches: (tool: Tool) => boolean): string[] {
  return listTools(findAgent(agent)?.tools ?? {}, matches)
}

/** Gemini names MCP tools with one underscore where other CLIs use two. */
function geminiServerTool(tool: string): string {
  return tool.replace(/^mcp__(.+?)__/, 'mcp_$1_')
}

function meant(param: string): readonly string[] {
  return params.find((names) => names.includes(param)) ?? [param]
}

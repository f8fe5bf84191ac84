import {
  type ClaudeCall,
  type Tool,
  type ToolInput,
  defineTools,
  findTool,
  listTools,
} from '../../contract/tools.ts'
import { asRecord, asString } from '../../events/fields.ts'
import { parseChanges, parsePatchCommand, resolvePath } from './patch.ts'
import { formatCommand, unwrapShell } from './shell-command.ts'

interface Call {
  readonly input: unknown
  /** The fields of the input, if it is an object. */
  readonly fields: ToolInput
  readonly cwd: string
}

interface CodexTool extends Partial<Tool> {
  /** Converts a call whose name or input depends on more than the names of its fields. */
  readonly toCall?: (call: Call) => ClaudeCall | undefined
}

const entries: Readonly<Record<string, CodexTool>> = {
  exec_command: { claude: 'Bash', toCall: toShellCall, dialog: /run the following command/ },
  write_stdin: { kind: 'execute' },
  shell: { claude: 'Bash', toCall: toShellCall },
  shell_command: { claude: 'Bash', toCall: toShellCall, versions: 'older' },
  local_shell: { claude: 'Bash', toCall: toShellCall, versions: 'older' },
  'container.exec': { claude: 'Bash', toCall: toShellCall, versions: 'older' },
  apply_patch: { claude: 'Edit', toCall: toPatchCall, dialog: /edits|changes/ },
  update_plan: { claude: 'TodoWrite', toInput: toPlan },
  view_image: { claude: 'Read', toCall: toImageRead },
  web_search: { claude: 'WebSearch', toCall: toWebSearch },
  spawn_agent: { claude: 'Task', toInput: toSubagentPrompt },
  request_user_input: { claude: 'AskUserQuestion' },
  // The names of items in `exec --json`.
  command_execution: { claude: 'Bash', toInput: toCommand, reported: true },
  file_change: { claude: 'Edit', toCall: toFileChange, reported: true },
  mcp_tool_call: { toCall: toServerCall, reported: true },
  todo_list: { claude: 'TodoWrite', toInput: toTodos, reported: true },
  collab_tool_call: { toCall: toSubagentCall, reported: true },
}

export const tools = defineTools(entries)

/**
 * Converts an item of `exec --json` to Claude's name and input, if Claude has such a tool. Unknown fields are kept.
 *
 * @example toClaude('command_execution', { command: "/bin/bash -lc 'ls -l'" }) // { name: 'Bash', input: { command: 'ls -l' } }
 */
export function toClaude(name: string, input: unknown): ClaudeCall {
  return isCallItem(name) ? convert(name, input, '') : { name, input }
}

/** Whether an item of `exec --json` is a tool call. @example isCallItem('command_execution') // true */
export function isCallItem(type: string): boolean {
  return findTool(tools, type)?.reported === true || type === 'web_search'
}

/** A call as the model made it. */
export interface NativeCall {
  readonly name: string
  readonly namespace?: string | undefined
  readonly input: unknown
  /** The folder of its relative paths. */
  readonly cwd: string
}

/**
 * Converts a call of the model to Claude's name and input, as for the same item in the stream.
 *
 * @example toClaudeCall({ name: 'exec_command', input: { cmd: 'ls' }, cwd: '/w' }) // { name: 'Bash', input: { command: 'ls' } }
 */
export function toClaudeCall({ name, namespace, input, cwd }: NativeCall): ClaudeCall {
  const tool = findTool(tools, name)
  // The model has no tools with the names of items, so this is a tool of an MCP server.
  if (!tool || tool.reported) return { name: toMcpName(name, namespace), input }
  return convert(name, input, cwd)
}

function convert(native: string, input: unknown, cwd: string): ClaudeCall {
  const { toCall, toInput } = entries[native]!
  const fields = asRecord(input)
  const call = toCall?.({ fields: fields ?? {}, input, cwd })
  return call ?? { name: tools[native]!.claude, input: fields && toInput ? toInput(fields) : input }
}

function toShellCall({ fields, cwd }: Call): ClaudeCall | undefined {
  const command = fields['cmd'] ?? fields['command']
  const folder = resolvePath(cwd, asString(fields['workdir']) ?? asString(fields['working_directory']) ?? '')
  const args = Array.isArray(command) ? command.map(String) : undefined
  if (args && /^apply_?patch$/.test(args[0] ?? '') && args.length === 2)
    return toFileChanges(args[1]!, folder)
  const line = args ? formatCommand(args) : asString(command)
  if (line === undefined) return undefined
  const applied = parsePatchCommand(line)
  if (applied) return toFileChanges(applied.patch, resolvePath(folder, applied.folder ?? ''))
  return { name: 'Bash', input: { command: line } }
}

function toPatchCall({ fields, input, cwd }: Call): ClaudeCall | undefined {
  const patch = asString(input) ?? asString(fields['input']) ?? asString(fields['patch'])
  return patch === undefined ? undefined : toFileChanges(patch, cwd)
}

function toFileChanges(patch: string, cwd: string): ClaudeCall {
  const changes = parseChanges(patch, cwd)
  return changes.length === 0
    ? { name: 'Edit', input: { patch } }
    : toClaude('file_change', { changes: changes.map((change) => ({ ...change })) })
}

function toPlan(fields: ToolInput): unknown {
  if (!Array.isArray(fields['plan'])) return fields
  const todos = (fields['plan'] as unknown[]).map((step) => {
    const { step: content, status } = asRecord(step) ?? {}
    return asRecord(step) ? { content, status } : step
  })
  return { todos }
}

function toImageRead({ fields, cwd }: Call): ClaudeCall | undefined {
  const path = asString(fields['path'])
  return path === undefined ? undefined : { name: 'Read', input: { file_path: resolvePath(cwd, path) } }
}

function toSubagentPrompt(fields: ToolInput): unknown {
  const prompt = asString(fields['message']) ?? getItemsText(fields['items'])
  return prompt === undefined ? fields : { prompt }
}

function getItemsText(items: unknown): string | undefined {
  if (!Array.isArray(items)) return undefined
  const texts = items.flatMap((item) => asString(asRecord(item)?.['text']) ?? [])
  return texts.length === 0 ? undefined : texts.join('\n')
}

/** The name of an MCP tool includes its server, which is before the name or in a field of its own by version. */
function toMcpName(name: string, namespace: string | undefined): string {
  if (namespace?.startsWith('mcp__')) return `${namespace.replace(/__$/, '')}__${name}`
  const old = /^(?!mcp__)([a-z][\w-]*?)__(.+)$/i.exec(name)
  return old ? `mcp__${old[1]}__${old[2]}` : name
}

function toCommand(fields: ToolInput): unknown {
  const { command } = fields
  return typeof command === 'string' ? { ...fields, command: unwrapShell(command) } : fields
}

function toServerCall({ fields }: Call): ClaudeCall {
  return {
    name: `mcp__${String(fields['server'])}__${String(fields['tool'])}`,
    input: fields['arguments'] ?? {},
  }
}

function toSubagentCall({ fields, input }: Call): ClaudeCall | undefined {
  const { tool, prompt } = fields
  // The other fields are the state of the call, which transcripts do not have.
  if (tool === 'spawn_agent' && typeof prompt === 'string') return { name: 'Task', input: { prompt } }
  return typeof tool === 'string' ? { name: tool, input } : undefined
}

/**
 * One patch may change several files, but Claude's tools change one: `file_path` is the first by name. The changes are
 * sorted, since Codex lists them in any order.
 */
function toFileChange({ fields, input }: Call): ClaudeCall {
  const changes = Array.isArray(fields['changes']) ? (fields['changes'] as unknown[]) : []
  const known = changes.map((change) => asRecord(change) ?? {})
  const paths = known.flatMap(({ path }) => asString(path) ?? []).toSorted()
  const name = known.length > 0 && known.every(({ kind }) => kind === 'add') ? 'Write' : 'Edit'
  if (paths.length === 0 || paths.length < known.length) return { name, input }
  const sorted = known.toSorted((one, other) => (String(one['path']) < String(other['path']) ? -1 : 1))
  return { name, input: { ...fields, file_path: paths[0], changes: sorted } }
}

/** Converts a search, or a page that was opened in it. */
function toWebSearch({ fields, input }: Call): ClaudeCall {
  const action = asRecord(fields['action'])
  const url = asString(action?.['url'])
  if (url !== undefined) {
    const pattern = asString(action?.['pattern'])
    return { name: 'WebFetch', input: { url, ...(pattern === undefined ? {} : { prompt: pattern }) } }
  }
  const query = asString(action?.['query']) ?? asString(fields['query'])
  return { name: 'WebSearch', input: query === undefined ? input : { query } }
}

/** The thread of a started sub-agent, which is also the id in the name of its transcript. */
export function getStartedAgent(item: ToolInput): { subagent?: string } {
  const threads: unknown = item['receiver_thread_ids']
  const thread = item['tool'] === 'spawn_agent' && Array.isArray(threads) ? asString(threads[0]) : undefined
  return thread === undefined ? {} : { subagent: thread }
}

function toTodos(fields: ToolInput): unknown {
  const { items, ...rest } = fields
  if (!Array.isArray(items)) return fields
  const todos = (items as unknown[]).map((item) => {
    if (typeof item !== 'object' || item === null) return item
    const { text, completed, ...more } = item as ToolInput
    return { content: text, status: completed === true ? 'completed' : 'pending', ...more }
  })
  return { ...rest, todos }
}

/** Hooks use Claude's name for commands; sessions use the model's tool names. */
export function listHookNames(tool: string): readonly string[] {
  if (tool === 'Edit' || tool === 'Write')
    return listTools(tools, ({ kind, reported }) => kind === 'edit' && !reported)
  return [listTools(tools, ({ claude }) => claude === 'Bash').includes(tool) ? 'Bash' : tool]
}

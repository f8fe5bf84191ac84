/** What a tool does, by the names of ACP. */
export type ToolKind = 'read' | 'search' | 'edit' | 'execute' | 'fetch' | 'switch_mode' | 'other'

/** A tool call with Claude's tool name and input, to which the calls of every agent are mapped. */
export interface ClaudeCall {
  readonly name: string
  readonly input: unknown
}

/** A built-in tool of an agent. */
export interface Tool {
  /** Claude's name for it, or its own name if Claude has no such tool. */
  readonly claude: string
  readonly kind: ToolKind
  /** Whether it changes nothing outside the session, so that plan mode may allow it. */
  readonly readOnly: boolean
  /** Maps its input to Claude's fields. */
  readonly toInput?: (input: ToolInput) => unknown
  /** The versions that have it, if not all do. */
  readonly versions?: 'older' | 'newer'
  /** Whether only the CLI's reports use this name, and the model calls the tool by another. */
  readonly reported?: boolean
  /** The title of its permission dialog in the terminal. Its groups are named after Claude's input fields. */
  readonly dialog?: RegExp
}

/** The input of a tool call. */
export type ToolInput = Readonly<Record<string, unknown>>

/** The tools of an agent by native name: all that Remora knows about them. */
export type ToolTable = Readonly<Record<string, Tool>>

/** The tools to which those of all agents are mapped. */
const claudeTools: Readonly<Record<string, Pick<Tool, 'kind' | 'readOnly'>>> = {
  Bash: { kind: 'execute', readOnly: false },
  Read: { kind: 'read', readOnly: true },
  Edit: { kind: 'edit', readOnly: false },
  MultiEdit: { kind: 'edit', readOnly: false },
  Write: { kind: 'edit', readOnly: false },
  NotebookEdit: { kind: 'edit', readOnly: false },
  Glob: { kind: 'search', readOnly: true },
  Grep: { kind: 'search', readOnly: true },
  LS: { kind: 'search', readOnly: true },
  WebFetch: { kind: 'fetch', readOnly: true },
  WebSearch: { kind: 'fetch', readOnly: true },
  TodoWrite: { kind: 'other', readOnly: true },
  AskUserQuestion: { kind: 'other', readOnly: true },
  ExitPlanMode: { kind: 'switch_mode', readOnly: false },
  Task: { kind: 'other', readOnly: false },
}

/**
 * Defines the tools of an agent. A tool has the kind of Claude's tool, unless it says otherwise.
 *
 * @example defineTools({ read_file: { claude: 'Read' } })['read_file']?.readOnly // true
 */
export function defineTools(tools: Readonly<Record<string, Partial<Tool>>>): ToolTable {
  const entries = Object.entries(tools).map(([native, tool]): [string, Tool] => {
    const claude = tool.claude ?? native
    return [native, { kind: 'other', readOnly: false, ...findClaudeTool(claude), ...tool, claude }]
  })
  return Object.fromEntries(entries)
}

function findClaudeTool(name: string): Pick<Tool, 'kind' | 'readOnly'> | undefined {
  return Object.hasOwn(claudeTools, name) ? claudeTools[name] : undefined
}

/** Finds the kind of a tool by Claude's name. @example findKind('Bash') // 'execute' */
export function findKind(claude: string): ToolKind | undefined {
  const kind = findClaudeTool(claude)?.kind
  return kind === 'other' ? undefined : kind
}

/** Finds a tool by its native name. @example findTool(tools, 'read_file')?.claude // 'Read' */
export function findTool(tools: ToolTable, native: string): Tool | undefined {
  return Object.hasOwn(tools, native) ? tools[native] : undefined
}

/** Maps a call to Claude's tool if there is one. @example mapCall(tools, 'read_file', { absolute_path: '/a' }) */
export function mapCall(tools: ToolTable, native: string, input: unknown): ClaudeCall {
  const tool = findTool(tools, native)
  const fits = typeof input === 'object' && input !== null && !Array.isArray(input)
  return {
    name: tool?.claude ?? native,
    input: fits && tool?.toInput ? tool.toInput(input as ToolInput) : input,
  }
}

/** Lists native names, by default those that the model can call in every version. @example listTools(tools, ({ kind }) => kind === 'edit') // ['write_file', 'replace'] */
export function listTools(tools: ToolTable, matches: (tool: Tool) => boolean = isOffered): string[] {
  return Object.entries(tools).flatMap(([native, tool]) => (matches(tool) ? [native] : []))
}

/** Whether the model can call it in every version. */
function isOffered({ versions, reported }: Tool): boolean {
  return versions === undefined && !reported
}

/** A tool in a permission dialog, with the fields of its input that the dialog shows. */
export interface ShownTool {
  readonly tool?: string
  readonly input?: ToolInput
}

/** Finds the tool of a permission dialog by the dialog's title. @example findShownTool(tools, '→ Edit a.txt').tool // 'Edit' */
export function findShownTool(tools: ToolTable, title: string): ShownTool {
  for (const { claude, dialog } of Object.values(tools)) {
    const match = dialog?.exec(title)
    if (match) return { tool: claude, ...(match.groups ? { input: { ...match.groups } } : {}) }
  }
  return {}
}

/** Renames fields. @example renameFields({ path: 'a' }, { path: 'file_path' }) // { file_path: 'a' } */
export function renameFields(
  input: ToolInput,
  names: Readonly<Record<string, string>>,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(input).map(([key, value]) => [Object.hasOwn(names, key) ? names[key]! : key, value]),
  )
}

/**
 * The native names of one of Claude's tools, the recommended one first; the name itself if there are none.
 *
 * @example listPaveNames(tools, 'Bash') // ['run_shell_command']
 */
export function listPaveNames(table: ToolTable, tool: string): readonly string[] {
  const names = listTools(table, ({ claude }) => claude === tool)
  return names.length > 0 ? names : [tool]
}

/** Whether a tool may change something. @example listTools(claude.tools, isWriting) */
export function isWriting({ kind }: Tool): boolean {
  return kind === 'edit' || kind === 'execute'
}

import { toObjects, toText } from './loose-json.ts'
import type { DeclaredTool } from './conversation.ts'
import type { WireName } from './log.ts'
import type { ToolCall } from './scenario.ts'
import {
  absolute,
  claudeFileInput,
  toChoice,
  toDone,
  codex,
  editInput,
  fileInput,
  grepInput,
  lines,
  numberedTodos,
  patch,
  pick,
  insertDirectory,
  quote,
  readRange,
  renamed,
  searchPath,
  shellInput,
  todos,
  viewInput,
  without,
  type Candidate,
  type Input,
} from './tool-inputs.ts'

/** Translates a scenario's call to the matching declared tool, with that tool's own parameters. */
export function toNativeCall(
  call: ToolCall,
  wire: WireName,
  declared: DeclaredTool[],
  directory: string | undefined,
): { name: string; namespace?: string; input: Input } {
  const input = insertDirectory(call.input, directory) as Input
  if ('native' in call) return { name: call.native, input }
  const known = toolTable[call.name] ?? [...mcpNames(call.name), { name: call.name }]
  const candidates = known.filter((candidate) => candidate.wire === undefined || candidate.wire === wire)
  const found = candidates.find(({ name }) => declared.some((tool) => tool.name === name))
  // If no matching tool is declared, the CLI's usual name is sent, so that tests can provoke "no such tool".
  const isQwen = wire === 'chat' && declared.some(({ name }) => name === 'read_file')
  const style = isQwen ? qwenNames : usualNames[wire]
  const chosen = found ?? candidates.find(({ name }) => style.test(name)) ?? { name: call.name }
  const tool = declared.find(({ name }) => name === chosen.name)
  const native = chosen.input?.(input, tool?.parameters ?? [], directory) ?? input
  return {
    name: chosen.name,
    ...(tool?.namespace !== undefined && { namespace: tool.namespace }),
    input: native,
  }
}

// Claude's tool → the equivalent tools of claude, gemini, opencode, qwen, copilot, kimi, pi, codex.
const toolTable: Record<string, Candidate[]> = {
  Write: [
    { name: 'Write', input: claudeFileInput },
    { name: 'write_file', wire: 'chat', input: absolute('file_path') },
    { name: 'write_file' },
    { name: 'write', input: fileInput },
    { name: 'create', input: renamed({ file_path: 'path', content: 'file_text' }, 'path') },
    codex((input) => patch(`*** Add File: ${toText(input['file_path'])}`, lines('+', input['content']))),
  ],
  Read: [
    { name: 'Read', input: claudeFileInput },
    { name: 'read_file', wire: 'chat', input: absolute('file_path') },
    { name: 'read_file', input: readRange },
    { name: 'read', input: fileInput },
    { name: 'view', input: viewInput },
    codex((input) => `cat ${quote(input['file_path'])}`),
  ],
  Edit: [
    { name: 'Edit', input: claudeFileInput },
    {
      name: 'replace',
      input: (input) => ({ instruction: 'Change the text.', ...without(input, 'replace_all') }),
    },
    { name: 'edit', input: editInput },
    codex((input) =>
      patch(`*** Update File: ${toText(input['file_path'])}`, [
        '@@',
        ...lines('-', input['old_string']),
        ...lines('+', input['new_string']),
      ]),
    ),
  ],
  Bash: [
    { name: 'Bash', input: shellInput },
    {
      name: 'run_shell_command',
      input: (input, parameters) => pick(input, parameters, 'command', 'description'),
    },
    { name: 'bash', input: (input) => ({ description: 'Runs a command', ...input }) },
    codex((input) => toText(input['command'])),
  ],
  Grep: [
    { name: 'Grep' },
    { name: 'grep_search', input: searchPath },
    { name: 'search_file_content', input: searchPath },
    { name: 'grep', input: grepInput },
    codex((input) => `grep -rn ${quote(input['pattern'])} ${quote(input['path'] ?? '.')}`),
  ],
  Glob: [
    { name: 'Glob' },
    { name: 'glob', input: searchPath },
    { name: 'find' },
    codex((input) => `find ${quote(input['path'] ?? '.')} -name ${quote(input['pattern'])}`),
  ],
  LS: [
    { name: 'LS', input: absolute('path') },
    { name: 'list_directory', input: searchPath },
    { name: 'list' },
    { name: 'ls' },
    codex((input) => `ls ${quote(input['path'] ?? '.')}`),
  ],
  TodoWrite: [
    { name: 'TodoWrite' },
    { name: 'TodoList', input: (input) => ({ todos: todos(input, 'title').map(toDone) }) },
    { name: 'todo_write', input: (input) => ({ todos: numberedTodos(input) }) },
    { name: 'write_todos', input: (input) => ({ todos: todos(input, 'description') }) },
    { name: 'todowrite', input: (input) => ({ todos: todos(input, 'content', { priority: 'medium' }) }) },
    { name: 'update_plan', input: (input) => ({ plan: todos(input, 'step') }) },
  ],
  WebFetch: [
    { name: 'WebFetch' },
    { name: 'FetchURL', input: (input) => ({ url: input['url'] }) },
    { name: 'web_fetch', wire: 'chat' },
    {
      name: 'web_fetch',
      input: (input) => ({ prompt: `${toText(input['prompt'])} ${toText(input['url'])}` }),
    },
    { name: 'webfetch', input: (input) => ({ url: input['url'], format: 'text' }) },
  ],
  WebSearch: [
    { name: 'WebSearch' },
    { name: 'google_web_search' },
    { name: 'web_search' },
    { name: 'websearch' },
  ],
  AskUserQuestion: [
    { name: 'AskUserQuestion' },
    { name: 'ask_user_question' },
    { name: 'ask_user', input: (input) => ({ questions: toObjects(input['questions']).map(toChoice) }) },
    { name: 'question' },
    { name: 'request_user_input' },
  ],
  ExitPlanMode: [{ name: 'ExitPlanMode' }, { name: 'exit_plan_mode' }, { name: 'plan_exit' }],
  Task: [
    { name: 'Task' },
    { name: 'Agent' },
    { name: 'agent' },
    {
      name: 'invoke_agent',
      input: (input) => ({ agent_name: input['subagent_type'], prompt: input['prompt'] }),
    },
    { name: 'task' },
    { name: 'spawn_agent', input: (input) => ({ message: input['prompt'] }) },
  ],
}

const usualNames: Record<WireName, RegExp> = {
  gemini: /^[a-z]+(_[a-z]+)+$|^(glob|replace)$/,
  anthropic: /^[A-Z]/,
  responses: /^(exec_command|update_plan|request_user_input|spawn_agent)$/,
  chat: /^[a-z]+$/,
  other: /^[A-Z]/,
}

/** Qwen declares the tools of MCP servers only on demand, but takes calls of them at any time. */
const qwenNames = /^mcp__|^[a-z]+(_[a-z]+)+$|^(?:edit|glob|agent)$/

// Claude and Qwen write mcp__server__tool; Gemini uses one underscore, OpenCode and Copilot omit the prefix.
function mcpNames(name: string): Candidate[] {
  const [prefix, server, ...rest] = name.split('__')
  if (prefix !== 'mcp' || server === undefined || rest.length === 0) return []
  const tool = rest.join('__')
  return [name, `mcp_${server}_${tool}`, `${server}_${tool}`, `${server}-${tool}`, tool].map((each) => ({
    name: each,
  }))
}

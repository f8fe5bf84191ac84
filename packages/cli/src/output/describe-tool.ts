import { isAbsolute, relative } from 'node:path'
import { parseMcpName } from '@remora/protocol/plain'
import { oneLine } from './one-line.ts'

const limit = 100

type Fields = Readonly<Record<string, unknown>>

/** The input field that describes a call of each Claude tool. */
const subjects: Readonly<Record<string, (input: Fields, cwd: string) => unknown>> = {
  Bash: ({ command }) => command,
  Read: ({ file_path }, cwd) => near(file_path, cwd),
  Write: ({ file_path }, cwd) => near(file_path, cwd),
  Edit: ({ file_path }, cwd) => near(file_path, cwd),
  Glob: ({ pattern, path }, cwd) =>
    path === undefined ? pattern : `${String(pattern)} in ${near(path, cwd)}`,
  Grep: ({ pattern, path }, cwd) =>
    path === undefined ? pattern : `${String(pattern)} in ${near(path, cwd)}`,
  WebSearch: ({ query }) => query,
  WebFetch: ({ url }) => url,
  Task: ({ description, prompt }) => description ?? prompt,
  TodoWrite: ({ todos }) => (Array.isArray(todos) ? progress(todos as unknown[]) : undefined),
  AskUserQuestion: ({ questions }) =>
    Array.isArray(questions) ? toFields(questions[0])['question'] : undefined,
  ExitPlanMode: () => '',
}

/**
 * Summarises a tool call.
 *
 * @example describeTool('Write', { file_path: '/home/me/note.txt' }, '/home/me') // 'Write note.txt'
 */
export function describeTool(name: string, input: unknown, cwd: string): string {
  const fields = toFields(input)
  const known = Object.hasOwn(subjects, name) ? subjects[name]!(fields, cwd) : undefined
  const subject = known ?? Object.values(fields).find((value) => typeof value === 'string')
  const mcp = parseMcpName(name)
  const title = mcp ? `${mcp.server}: ${mcp.tool}` : name
  return oneLine(`${title} ${typeof subject === 'string' ? subject : ''}`, limit)
}

/** The path relative to the folder. */
function near(path: unknown, cwd: string): string {
  if (typeof path !== 'string') return ''
  if (!isAbsolute(path)) return path
  const way = relative(cwd, path)
  return way.startsWith('..') ? path : way || '.'
}

function progress(todos: readonly unknown[]): string {
  const done = todos.filter((todo) => toFields(todo)['status'] === 'completed')
  return `${done.length} of ${todos.length} done`
}

function toFields(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {}
}

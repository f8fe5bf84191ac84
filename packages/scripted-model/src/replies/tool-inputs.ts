import path from 'node:path'
import type { WireName } from './log.ts'
import { isObject, toObjects, toText } from './loose-json.ts'

// Converts the input of one of Claude's tools to the input of another CLI's tool.

export type Input = Record<string, unknown>

export interface Candidate {
  name: string
  /** The only wire with these parameters, if CLIs with other wires have a tool of the same name. */
  wire?: WireName
  input?: (input: Input, parameters: string[], directory: string | undefined) => Input
}

const editNames = {
  file_path: 'filePath',
  old_string: 'oldString',
  new_string: 'newString',
  replace_all: 'replaceAll',
}

type Convert = NonNullable<Candidate['input']>

/** The tools `read` and `write` of OpenCode and pi name the file differently. */
export const fileInput: Convert = (input, parameters, directory) => {
  const name = parameters.includes('path') ? 'path' : 'filePath'
  return renamed({ file_path: name }, name)(input, parameters, directory)
}

/** Kimi's tools have Claude's names; they name the file `path`, and a range of lines otherwise. */
export const claudeFileInput: Convert = (input, parameters, directory) =>
  parameters.includes('path')
    ? renamed({ file_path: 'path', offset: 'line_offset', limit: 'n_lines' })(input, parameters, directory)
    : absolute('file_path')(input, parameters, directory)

/** Kimi's tool for commands takes no other fields than its own. */
export const shellInput: Convert = (input, parameters) =>
  parameters.includes('disable_timeout')
    ? pick(input, parameters, 'command', 'description', 'run_in_background')
    : input

/** Kimi's name for a todo that is completed. */
export function toDone(todo: Input): Input {
  return todo['status'] === 'completed' ? { ...todo, status: 'done' } : todo
}

/** The tools `edit` of OpenCode, Qwen, Copilot and pi have different parameters. */
export const editInput: Convert = (input, parameters, directory) => {
  if (parameters.includes('edits')) {
    const { old_string: oldText, new_string: newText, ...rest } = without(input, 'replace_all')
    return fileInput({ ...rest, edits: [{ oldText, newText }] }, parameters, directory)
  }
  const toInput = parameters.includes('file_path')
    ? absolute('file_path')
    : parameters.includes('old_str')
      ? renamed({ file_path: 'path', old_string: 'old_str', new_string: 'new_str' }, 'path')
      : renamed(editNames, 'filePath')
  return toInput(input, parameters, directory)
}

/** OpenCode's tool `grep` has `include` instead of `glob`. */
export const grepInput: Convert = (input, parameters, directory) =>
  renamed(parameters.includes('glob') ? {} : { glob: 'include' })(input, parameters, directory)

export function codex(command: (input: Input) => string): Candidate {
  return {
    name: 'exec_command',
    input: (input) => ({
      cmd: command(input),
      // A scenario can request a command for which Codex asks for approval.
      ...(input['dangerouslyDisableSandbox'] === true && {
        sandbox_permissions: 'require_escalated',
        justification: toText(input['description']) || 'The command needs it.',
      }),
    }),
  }
}

export function patch(head: string, body: string[]): string {
  return ["apply_patch <<'EOF'", '*** Begin Patch', head, ...body, '*** End Patch', 'EOF'].join('\n')
}

export function lines(prefix: string, text: unknown): string[] {
  return toText(text)
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => prefix + line)
}

export function quote(value: unknown): string {
  const text = toText(value)
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}

export function renamed(names: Record<string, string>, pathName?: string): NonNullable<Candidate['input']> {
  return (input, parameters, directory) => {
    const result = Object.fromEntries(Object.entries(input).map(([key, value]) => [names[key] ?? key, value]))
    return pathName === undefined ? result : absolute(pathName)(result, parameters, directory)
  }
}

// Claude and OpenCode require absolute paths; Gemini and Codex accept paths relative to their directory.
export function absolute(pathName: string): NonNullable<Candidate['input']> {
  return (input, _parameters, directory) => {
    const value = input[pathName]
    if (directory === undefined || typeof value !== 'string') return input
    return { ...input, [pathName]: path.posix.resolve(directory, value) }
  }
}

export function readRange(input: Input, parameters: string[]): Input {
  const { offset, limit, ...rest } = input
  if (!parameters.includes('start_line')) return input
  const start = typeof offset === 'number' ? offset : 1
  return {
    ...rest,
    ...(offset !== undefined && { start_line: start }),
    ...(typeof limit === 'number' && { end_line: start + limit - 1 }),
  }
}

/** Copilot's `view` takes the first and the last line. */
export const viewInput: NonNullable<Candidate['input']> = ({ offset, limit, ...input }, ...rest) => ({
  ...renamed({ file_path: 'path' }, 'path')(input, ...rest),
  ...(typeof offset === 'number' && {
    view_range: [offset, typeof limit === 'number' ? offset + limit - 1 : -1],
  }),
})

export function searchPath(input: Input, parameters: string[]): Input {
  const { path: place, glob, ...rest } = input
  const pathName = parameters.includes('dir_path') ? 'dir_path' : 'path'
  const globName = parameters.includes('include_pattern') ? 'include_pattern' : 'include'
  return {
    ...rest,
    ...(place !== undefined && { [pathName]: place }),
    ...(glob !== undefined && { [globName]: glob }),
  }
}

export function todos(input: Input, textName: string, more: Input = {}): Input[] {
  return toObjects(input['todos']).map((todo) => ({
    [textName]: todo['content'],
    status: todo['status'],
    ...more,
  }))
}

export function numberedTodos(input: Input): Input[] {
  return todos(input, 'content').map((todo, index) => ({ id: String(index + 1), ...todo }))
}

export function toChoice(question: Input): Input {
  return { type: 'choice', ...question }
}

export function pick(input: Input, parameters: string[], ...names: string[]): Input {
  const known = names.filter(
    (name) => input[name] !== undefined && (parameters.length === 0 || parameters.includes(name)),
  )
  return Object.fromEntries(known.map((name) => [name, input[name]]))
}

export function without(input: Input, name: string): Input {
  return Object.fromEntries(Object.entries(input).filter(([key]) => key !== name))
}

export function insertDirectory(value: unknown, directory: string | undefined): unknown {
  if (directory === undefined) return value
  if (typeof value === 'string') return value.replaceAll('{cwd}', directory)
  if (Array.isArray(value)) return value.map((item) => insertDirectory(item, directory))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, insertDirectory(item, directory)]),
  )
}

import { isAbsolute, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Ask } from '@remora/protocol/plain'
import { findKind } from '../../../contract/tools.ts'
import { asRecord, asString } from '../../../events/fields.ts'
import type { AgentRecord } from '../../../events/read-record.ts'
import { isPlain } from './commands.ts'

/** A permission request with all facts that a rule may check. */
export interface Question {
  readonly agent: string
  readonly session: string
  /** The workspace. */
  readonly cwd: string
  readonly ask: Ask
  readonly call: QuestionedCall
  /** The protocol's kind of the call. */
  readonly kind?: string
  /** As the agent writes them; relative ones are in the workspace. */
  readonly paths: readonly string[]
  readonly command?: string
  /** Whether it is a tool of the caller. */
  readonly host?: boolean
}

export interface QuestionedCall {
  /** Claude's name for the tool. */
  readonly name: string
  /** The agent's name for the tool. */
  readonly native: string
  readonly input: unknown
}

export interface QuestionContext {
  readonly agent: string
  readonly session: string
  readonly cwd: string
  readonly ask: Ask
  readonly call: QuestionedCall
  /** The `tool_call` with all its updates so far, which often has details that the request lacks. */
  readonly known?: AgentRecord | undefined
  readonly host?: boolean | undefined
}

/**
 * Reads the question in the params of a `session/request_permission`.
 *
 * @example readQuestion(params, { agent: 'gemini', session, cwd, ask, call: { name: 'Bash', native: 'shell', input } })
 */
export function readQuestion(params: AgentRecord, about: QuestionContext): Question {
  const { agent, session, cwd, ask, call, known = {}, host } = about
  const asked = asRecord(params['toolCall']) ?? {}
  // codex-acp 2 gives every MCP tool the kind of a command.
  const isMcp = asRecord(known['_meta'])?.['is_mcp_tool_call'] === true
  // Claude's wrapper sends the kind only with the call, not with the request.
  const kind = isMcp ? 'other' : (asString(asked['kind']) ?? asString(known['kind']) ?? findKind(call.name))
  const title = asString(asked['title'])
  const runs = kind === 'execute'
  const command = findCommand([asked['rawInput'], known['rawInput']], call.input, title, runs)
  // The folder of a command matters only if it is not the workspace.
  const paths = listPaths([asked, known], call.input, cwd).filter(
    (path) => !runs || resolve(cwd, path) !== resolve(cwd),
  )
  return {
    agent,
    session,
    cwd,
    ask,
    call,
    paths,
    ...(kind === undefined ? {} : { kind }),
    ...(command === undefined ? {} : { command }),
    // A command or a change may have the name of one of our tools without being one.
    ...(host === true && (kind ?? 'other') === 'other' ? { host } : {}),
  }
}

// The field names that agents and their tools use for paths.
const pathFields = (
  'file_path filePath filepath path paths abs_path absolute_path absolutePath notebook_path file_paths filePaths ' +
  'old_path new_path move_path source destination cwd workdir dir_path directory'
).split(' ')

/** Lists all paths in the request: a rule that allows must match every one. */
function listPaths(calls: readonly AgentRecord[], input: unknown, cwd: string): string[] {
  const found = new Set(
    calls.flatMap((call) => [
      ...asList(call['locations']).flatMap((place) => pathIn(asRecord(place)?.['path'])),
      ...pathsIn(call['rawInput']),
    ]),
  )
  const shown = calls
    .flatMap((call) => asList(call['content']).map((entry) => asRecord(entry) ?? {}))
    .flatMap((entry) => (entry['type'] === 'diff' ? pathIn(entry['path']) : []))
  // Gemini before 0.34 shows a change with the bare name of its file, wherever it is.
  const isName = (path: string) =>
    !/[\\/]/.test(path) && [...found].some((other) => /[^\\/]+$/.exec(other)?.[0] === path)
  for (const path of [...shown, ...pathsIn(input)]) if (!isName(path)) found.add(path)
  // Claude Code 2.1.326 makes a relative path of the model absolute only in the request.
  return [...found].filter((path) => isAbsolute(path) || !found.has(resolve(cwd, path)))
}

function pathsIn(value: unknown): string[] {
  const input = asRecord(value) ?? {}
  return [
    ...pathFields.flatMap((name) => asList(input[name]).flatMap(pathIn)),
    // Codex keys its changes by path.
    ...Object.entries(asRecord(input['changes']) ?? {}).flatMap(([path, change]) => [
      ...pathIn(path),
      ...pathIn(asRecord(change)?.['move_path']),
    ]),
  ]
}

function pathIn(value: unknown): string[] {
  const path = asString(value) ?? ''
  return path === '' ? [] : [plainPath(path)]
}

function plainPath(path: string): string {
  if (!path.startsWith('file://')) return path
  try {
    return fileURLToPath(path)
  } catch {
    return path
  }
}

function asList(value: unknown): unknown[] {
  if (Array.isArray(value)) return value as unknown[]
  return value === undefined || value === null ? [] : [value]
}

/** Finds the command of a call: in the agent's inputs, in our mapped input, or in its title. */
function findCommand(
  rawInputs: readonly unknown[],
  made: unknown,
  title: string | undefined,
  runs: boolean,
): string | undefined {
  const command = rawInputs.map(fromInput).find((one) => one !== undefined)
  if (command !== undefined) return command
  // If the agent sends no input, ours is made from the title.
  const ours = fromInput(made)
  return ours !== undefined && ours !== title ? ours : runs ? fromTitle(title) : undefined
}

function fromInput(input: unknown): string | undefined {
  const fields = asRecord(input)
  const command = fields?.['command'] ?? fields?.['cmd']
  if (typeof command === 'string') return command.trim() === '' ? undefined : command
  if (!Array.isArray(command) || command.length === 0) return undefined
  const words = command.map(String)
  // Codex includes its shell wrapper: ["/bin/bash", "-lc", "npm test"].
  const [shell = '', flag = '', line] = words
  const wrapped = words.length === 3 && /(^|[\\/])(ba|z|da|k)?sh$/.test(shell) && /^-[a-z]*c$/.test(flag)
  return wrapped && line !== undefined ? line : words.map(quoted).join(' ')
}

function quoted(word: string): string {
  return /^[\w./:@%+=,-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}

/** Gemini sends the command only as the title, before 0.61 followed by the folder and the model's description. */
function fromTitle(title: string | undefined): string | undefined {
  if (title === undefined || title.trim() === '') return undefined
  const marked = /^`([^`]*)`$/.exec(title)?.[1]
  return marked ?? withoutRemark(title)
}

/**
 * The model writes both the command and the description, so it could disguise part of the command as a description. The
 * removed part must therefore be harmless as a command, and the rest must be complete; otherwise the title is kept.
 */
function withoutRemark(title: string): string {
  const start = Math.max(title.lastIndexOf(' [current working directory '), title.lastIndexOf(' [in '))
  if (start === -1) return title
  const command = title.slice(0, start)
  const remark = /^ \[(?:current working directory|in) ([^[\]]*)\](?: \((.*)\))?(?: \[background\])?$/s.exec(
    title.slice(start),
  )
  if (!remark || !isPlain(remark[1] ?? '') || !isPlain(remark[2] ?? '')) return title
  const isWhole =
    ["'", '"'].every((quote) => command.split(quote).length % 2 === 1) && !/\\['"]/.test(command)
  return isWhole ? command : title
}

import { isAbsolute, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Ask } from '@remora/protocol/plain'
import { asRecord, asString } from '../../../events/fields.ts'
import type { AgentRecord } from '../../../events/read-record.ts'
import { findCommand } from './find-command.ts'

/** What an agent wants to do, with all that a rule may look at. */
export interface Question {
  readonly agent: string
  readonly session: string
  /** The workspace. */
  readonly cwd: string
  readonly ask: Ask
  readonly call: QuestionedCall
  /** The kind that the protocol gives the call. */
  readonly kind?: string
  /** As the agent writes them; relative ones are in the workspace. */
  readonly paths: readonly string[]
  readonly command?: string
  /** A tool of our own program. */
  readonly host?: boolean
}

export interface QuestionedCall {
  /** Claude's name for the tool. */
  readonly name: string
  /** The agent's own. */
  readonly native: string
  readonly input: unknown
}

export interface QuestionContext {
  readonly agent: string
  readonly session: string
  readonly cwd: string
  readonly ask: Ask
  readonly call: QuestionedCall
  /** The `tool_call` with all its updates so far: what is asked about is often told there only. */
  readonly known?: AgentRecord | undefined
  readonly host?: boolean | undefined
}

/**
 * The question in the params of a `session/request_permission`.
 *
 * @example questionOf(params, { agent: 'gemini', session, cwd, ask, call: { name: 'Bash', native: 'shell', input } })
 */
export function questionOf(params: AgentRecord, about: QuestionContext): Question {
  const { agent, session, cwd, ask, call, known = {}, host } = about
  const asked = asRecord(params['toolCall']) ?? {}
  // codex-acp 2 calls every MCP tool a command by its kind.
  const isMcp = asRecord(known['_meta'])?.['is_mcp_tool_call'] === true
  const kind = isMcp ? 'other' : (asString(asked['kind']) ?? asString(known['kind']) ?? kinds[call.name])
  const title = asString(asked['title'])
  const runs = kind === 'execute'
  const command = findCommand([asked['rawInput'], known['rawInput']], call.input, title, runs)
  // That a command runs in the workspace says nothing; that it runs elsewhere does.
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
    // A command or a change may be called like one of our tools, and is none for that.
    ...(host === true && (kind ?? 'other') === 'other' ? { host } : {}),
  }
}

/** Claude's wrapper tells the kind with the call only, and not with the question. */
const kinds: Readonly<Record<string, string>> = {
  Bash: 'execute',
  Edit: 'edit',
  Glob: 'search',
  Grep: 'search',
  LS: 'search',
  MultiEdit: 'edit',
  NotebookEdit: 'edit',
  Read: 'read',
  WebFetch: 'fetch',
  Write: 'edit',
}

// By the names that agents and their tools have for them.
const pathFields = (
  'file_path filePath filepath path paths abs_path absolute_path absolutePath notebook_path file_paths filePaths ' +
  'old_path new_path move_path source destination cwd workdir dir_path directory'
).split(' ')

/** All that are told anywhere: a rule that allows must fit every one of them. */
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
  // Gemini before 0.34 shows a change under the bare name of its file, wherever that is.
  const isName = (path: string) =>
    !/[\\/]/.test(path) && [...found].some((other) => /[^\\/]+$/.exec(other)?.[0] === path)
  for (const path of [...shown, ...pathsIn(input)]) if (!isName(path)) found.add(path)
  // Claude Code 2.1.326 completes a relative path of the model only when it asks.
  return [...found].filter((path) => isAbsolute(path) || !found.has(resolve(cwd, path)))
}

function pathsIn(value: unknown): string[] {
  const input = asRecord(value) ?? {}
  return [
    ...pathFields.flatMap((name) => asList(input[name]).flatMap(pathIn)),
    // Codex has its changes by their paths.
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

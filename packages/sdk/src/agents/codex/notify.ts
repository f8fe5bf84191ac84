import { RemoraError } from '@remora/protocol/plain'
import { parse } from 'smol-toml'
import type { HookEntry, HookKind, HookTarget, OurHook } from '../../contract/agent.ts'
import { asRecord, asString } from '../../events/fields.ts'
import { getHookKind, quoteCommand } from '../../dialects/our-hooks.ts'
import type { AgentRecord } from '../../events/read-record.ts'

/** The name of `notify` in the list of events: Codex starts that program at the end of every turn. */
export const notifyEvent = 'notify'

/**
 * The configuration of Codex, for its `notify`: a program that, unlike the hooks of hooks.json, needs no trust of the
 * user. Codex allows only one, so Remora's is not added where another program is set.
 *
 * @example notifyTarget('/home/me/.codex/config.toml').added('', [{ kind: 'record', event: 'notify', command }])
 */
export function notifyTarget(file: string): HookTarget {
  return { file, entries, added, removed }
}

function entries(text: string): HookEntry[] {
  const config = parseToml(text)
  const command = readNotify(config)
  const line = command && quoteCommand(command)
  const kind = line === undefined ? undefined : getHookKind(line)
  return [
    ...(line === undefined ? [] : [{ event: notifyEvent, command: line, ...(kind ? { kind } : {}) }]),
    ...listInlineEntries(config),
  ]
}

function added(text: string, hooks: readonly OurHook[]): string {
  const hook = hooks.find(({ kind, event }) => kind === 'record' && event === notifyEvent)
  if (!hook || Object.hasOwn(parseToml(text), notifyEvent)) return text
  // The suffix tells the program that the payload is an argument, not on stdin.
  const command = [...hook.command.slice(0, -1), `${hook.command.at(-1)}-notify`]
  const line = `${notifyEvent} = [${command.map(toTomlString).join(', ')}]`
  const eol = /\r?\n/.exec(text)?.[0] ?? '\n'
  const last = findTopStatements(text).at(-1)
  const at = last ? findLineEnd(text, last.end) : getStart(text)
  const inserted = last ? eol + line : line + eol
  return text.slice(0, at) + inserted + text.slice(at)
}

function removed(text: string, kind?: HookKind): string {
  if (kind === 'pave') return text
  const command = readNotify(parseToml(text))
  if (!command || getHookKind(quoteCommand(command)) !== 'record') return text
  const statement = findTopStatements(text).find(({ key }) => key === notifyEvent)
  return statement ? withoutStatement(text, statement) : text
}

/** Removes a statement and one line break: the one before it, or at the top of the file the one after it. */
function withoutStatement(text: string, { start, end }: TomlStatement): string {
  const lineEnd = findLineEnd(text, end)
  // Text after it on the same line was written by the user.
  if (text.slice(end, lineEnd).trim() !== '') return text.slice(0, start) + text.slice(end).trimStart()
  const before = /(?:\r?\n)?[ \t]*$/.exec(text.slice(0, start))![0].length
  const from = start - before
  if (from > getStart(text) || text[from] === '\n' || text[from] === '\r')
    return text.slice(0, from) + text.slice(lineEnd)
  return text.slice(0, from) + text.slice(lineEnd).replace(/^\r?\n/, '')
}

/** The command of `notify`, or undefined if it is not set. */
export function readNotify(config: Readonly<Record<string, unknown>>): string[] | undefined {
  const value = config[notifyEvent]
  if (value === undefined) return undefined
  return asList(value).filter((word) => typeof word === 'string')
}

/** Hooks of the user in this file. Remora writes none here. */
function listInlineEntries(config: Readonly<Record<string, unknown>>): HookEntry[] {
  const events = Object.entries(asRecord(config['hooks']) ?? {})
  return events.flatMap(([event, groups]) =>
    asList(groups).flatMap((group) =>
      asList(asRecord(group)?.['hooks']).map((handler) => ({
        event,
        command: asString(asRecord(handler)?.['command']) ?? '',
      })),
    ),
  )
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function findLineEnd(text: string, from: number): number {
  const end = text.indexOf('\n', from)
  if (end === -1) return text.length
  return text[end - 1] === '\r' ? end - 1 : end
}

function getStart(text: string): number {
  return text.startsWith('\uFEFF') ? 1 : 0
}

function toTomlString(word: string): string {
  return JSON.stringify(word).replaceAll('\u007F', String.raw`\u007F`)
}

/** A key and its value at the top of a TOML file, before its first table. */
interface TomlStatement {
  readonly key: string
  /** Where the key begins, and where the value ends. */
  readonly start: number
  readonly end: number
}

/** Throws `config` for malformed TOML, with a message that shows nothing of the content. */
function parseToml(text: string): AgentRecord {
  try {
    return asRecord(parse(text.replace(/^\uFEFF/, ''))) ?? {}
  } catch (error) {
    const { message, line } = error as Error & { line?: number }
    // The other lines of the message are an excerpt, which may contain an API key.
    throw new RemoraError('config', `It is not TOML: line ${line ?? '?'}: ${message.split('\n')[0]}`, {
      hint: 'Correct it by hand; nothing was changed.',
      cause: error,
    })
  }
}

/**
 * Finds the statements before the first table of a valid TOML text. Values may span lines and contain text that looks like
 * a table or a comment.
 *
 * @example findTopStatements('a = 1\nb = [\n  2, # two\n]\n[c]\nd = 3').map(({ key }) => key) // ['a', 'b']
 */
export function findTopStatements(text: string): TomlStatement[] {
  const statements: TomlStatement[] = []
  let at = text.startsWith('\uFEFF') ? 1 : 0
  for (;;) {
    at += matchAt(/(?:\s+|#[^\n]*)*/y, text, at).length
    if (at >= text.length || text[at] === '[') return statements
    const start = at
    at += matchAt(keyAndEquals, text, at).length
    const key = text.slice(start, at).replace(/\s*=\s*$/, '')
    const end = findValueEnd(text, at)
    statements.push({ key: key.replace(/^(["'])(.*)\1$/, '$2'), start, end })
    at = Math.max(end, start + 1)
  }
}

const string = /"""(?:\\[^]|[^\\])*?"{3,5}|'''[^]*?'{3,5}|"(?:\\.|[^"\\\n])*"|'[^'\n]*'/.source
const keyAndEquals = new RegExp(String.raw`(?:${string}|[^="'\n])*=[ \t]*`, 'y')
const piece = new RegExp(String.raw`${string}|#[^\n]*|[^]`, 'y')

/** A value ends with its line, unless a bracket is open. */
function findValueEnd(text: string, from: number): number {
  let depth = 0
  let end = from
  for (let at = from; at < text.length;) {
    const found = matchAt(piece, text, at)
    const comment = found.startsWith('#')
    if (depth === 0 && (comment || found === '\n')) return end
    if (found === '[' || found === '{') depth++
    if (found === ']' || found === '}') depth--
    at += found.length
    if (!comment && found.trim() !== '') end = at
  }
  return end
}

function matchAt(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0] ?? ''
}

import type { HookEntry, HookKind, HookTarget, OurHook } from '../../contract/agent.ts'
import { asRecord, asString } from '../../events/fields.ts'
import { getHookKind, quoteCommand } from '../../dialects/our-hooks.ts'
import { type TomlStatement, parseToml, findTopStatements } from './toml-statements.ts'

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

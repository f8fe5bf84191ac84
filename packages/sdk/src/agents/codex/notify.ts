import type { HookEntry, HookKind, HookTarget, OurHook } from '../../contract/agent.ts'
import { asRecord, asString } from '../../events/fields.ts'
import { getHookKind, quoteCommand } from '../../dialects/our-hooks.ts'
import { type TomlStatement, parseToml, topStatements } from './toml-statements.ts'

/** The name under which `notify` stands among the events: Codex starts that program at the end of every turn. */
export const notifyEvent = 'notify'

/**
 * The configuration of Codex, for its `notify`: a program that it starts without anybody having to trust it, which the
 * hooks of hooks.json need. There can be only one, so that of somebody else stays, and ours is not added.
 *
 * @example notifyTarget('/home/me/.codex/config.toml').added('', [{ kind: 'record', event: 'notify', command }])
 */
export function notifyTarget(file: string): HookTarget {
  return { file, entries, added, removed }
}

function entries(text: string): HookEntry[] {
  const config = parseToml(text)
  const words = notifyOf(config)
  const line = words && quoteCommand(words)
  const kind = line === undefined ? undefined : getHookKind(line)
  return [
    ...(line === undefined ? [] : [{ event: notifyEvent, command: line, ...(kind ? { kind } : {}) }]),
    ...inlineEntries(config),
  ]
}

function added(text: string, hooks: readonly OurHook[]): string {
  const hook = hooks.find(({ kind, event }) => kind === 'record' && event === notifyEvent)
  if (!hook || Object.hasOwn(parseToml(text), notifyEvent)) return text
  // It gets its payload as an argument, not on its input, which this word tells the program.
  const words = [...hook.command.slice(0, -1), `${hook.command.at(-1)}-notify`]
  const line = `${notifyEvent} = [${words.map(tomlString).join(', ')}]`
  const eol = /\r?\n/.exec(text)?.[0] ?? '\n'
  const last = topStatements(text).at(-1)
  const place = last ? endOfLine(text, last.end) : startOf(text)
  const inserted = last ? eol + line : line + eol
  return text.slice(0, place) + inserted + text.slice(place)
}

function removed(text: string, kind?: HookKind): string {
  if (kind === 'pave') return text
  const words = notifyOf(parseToml(text))
  if (!words || getHookKind(quoteCommand(words)) !== 'record') return text
  const statement = topStatements(text).find(({ key }) => key === notifyEvent)
  return statement ? withoutStatement(text, statement) : text
}

/** With the line end that came with it: the one before it, or at the top of the file the one behind it. */
function withoutStatement(text: string, { start, end }: TomlStatement): string {
  const lineEnd = endOfLine(text, end)
  // What somebody has written behind it is not ours.
  if (text.slice(end, lineEnd).trim() !== '') return text.slice(0, start) + text.slice(end).trimStart()
  const before = /(?:\r?\n)?[ \t]*$/.exec(text.slice(0, start))![0].length
  const from = start - before
  if (from > startOf(text) || text[from] === '\n' || text[from] === '\r')
    return text.slice(0, from) + text.slice(lineEnd)
  return text.slice(0, from) + text.slice(lineEnd).replace(/^\r?\n/, '')
}

/** The words of `notify`, or undefined where it is not set. */
export function notifyOf(config: Readonly<Record<string, unknown>>): string[] | undefined {
  const value = config[notifyEvent]
  if (value === undefined) return undefined
  return listOf(value).filter((word) => typeof word === 'string')
}

/** Hooks may stand in this file too; ours do not. */
function inlineEntries(config: Readonly<Record<string, unknown>>): HookEntry[] {
  const events = Object.entries(asRecord(config['hooks']) ?? {})
  return events.flatMap(([event, groups]) =>
    listOf(groups).flatMap((group) =>
      listOf(asRecord(group)?.['hooks']).map((handler) => ({
        event,
        command: asString(asRecord(handler)?.['command']) ?? '',
      })),
    ),
  )
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf('\n', from)
  if (end === -1) return text.length
  return text[end - 1] === '\r' ? end - 1 : end
}

function startOf(text: string): number {
  return text.startsWith('\uFEFF') ? 1 : 0
}

function tomlString(word: string): string {
  return JSON.stringify(word).replaceAll('\u007F', String.raw`\u007F`)
}

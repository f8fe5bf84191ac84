import { createHash } from 'node:crypto'
import { callEntity, isCallEntity } from '@remora/protocol/fold'
import { type EventOf, channels, textOf } from '@remora/protocol/plain'
import type { CallBook, CallTale } from './call-book.ts'

/** What of an input, and of what a failed call gave back, is kept beside the events. */
const longestInput = 2000
const longestError = 4000

/** The types of events that tell of calls, and of the prompts between them. */
export const toldTypes = ['tool_use', 'tool_result', 'message'] as const
export type Told = (typeof toldTypes)[number]

/** Where an event of a call stands. */
export interface ToldRow {
  readonly seq: number
  readonly session_id: number
  readonly entity: string
  readonly at: number
  readonly parent: string | null
  readonly channel: string
  readonly source: string
}

/** Finds the call that an event means, and enters what it tells of it. */
export function tellCall(book: CallBook, row: ToldRow, event: EventOf<Told>): void {
  if (event.type === 'tool_use') begin(book, row, event)
  else if (event.type === 'tool_result') end(book, row, event)
  else if (event.role === 'user' && !event.context && row.parent === null && (event.content ?? []).length > 0)
    book.prompt(row.session_id, rankOf(row), row.at, row.entity)
}

function begin(book: CallBook, row: ToldRow, event: EventOf<'tool_use'>): void {
  const tale = taleOf(row, event)
  const nameless = isCallEntity(row.entity)
  const { session_id: session } = row
  const channel = rankOf(row)
  const known = nameless ? undefined : book.named(session, row.entity)
  if (known === null) return
  const alike = nameless ? tale.call : tale.claudeCall
  const name = { session, entity: tale.entity, channel }
  const id =
    known ??
    (tale.named
      ? book.unnamed(session, tale.call, tale.claudeCall)
      : book.untold(session, alike, book.last(name), channel))
  if (id !== undefined) {
    // The best channel's word counts, and its last one.
    book.retell(id, tale)
    book.name(name, nameless, id)
  } else if (tale.named && channel === 0 && book.isCopy(session, row.entity, row.at)) {
    book.name(name, nameless, null)
  } else book.name(name, nameless, book.create(session, tale))
}

function taleOf(row: ToldRow, event: EventOf<'tool_use'>): CallTale {
  const native = event.native ?? { name: event.name, input: event.input }
  return {
    entity: nameOf(row),
    // An id that means something in one run only is no better than none, for other channels.
    named: !isCallEntity(row.entity) && !row.entity.startsWith(row.source),
    ...callHashes(event),
    channel: rankOf(row),
    tool: event.name,
    native: native.name,
    input: JSON.stringify(native.input ?? null, shorten),
    parent: row.parent,
    toldBy: row.seq,
    at: row.at,
  }
}

function end(book: CallBook, row: ToldRow, event: EventOf<'tool_result'>): void {
  const id = isCallEntity(row.entity) ? waiting(book, row) : book.named(row.session_id, row.entity)
  if (id === undefined || id === null) return
  const failed = event.status !== 'success'
  const text = failed && event.content !== undefined ? textIn(event.content) : undefined
  const error = text === undefined ? null : cut(text, longestError)
  book.end(id, { channel: rankOf(row), status: event.status, failed, error, at: row.at, toldBy: row.seq })
}

/** The first call of this name that still waits for its end, as this channel tells it. */
function waiting(book: CallBook, row: ToldRow): number | undefined {
  const name = { session: row.session_id, entity: nameOf(row), channel: rankOf(row) }
  // One more end than calls is told of the last.
  return book.endNext(name) ?? (book.last(name) || undefined)
}

function rankOf({ channel }: ToldRow): number {
  return (channels as readonly string[]).indexOf(channel)
}

/** By what a call is found that has no id: the hashes of the agent's own name and input, and of Claude's. */
export function callHashes({ name, input, native }: EventOf<'tool_use'>): {
  readonly call: string
  readonly claudeCall: string
} {
  const claudeCall = digest(callEntity(name, input))
  return { call: native ? digest(callEntity(native.name, native.input)) : claudeCall, claudeCall }
}

/** The name of a call as the book has it: one without an id holds its whole input, which may be long. */
export function nameOf({ entity }: Pick<ToldRow, 'entity'>): string {
  return isCallEntity(entity) ? `call:${digest(entity)}` : entity
}

function digest(text: string): string {
  return createHash('sha1').update(text).digest('base64url')
}

function textIn(content: NonNullable<EventOf<'tool_result'>['content']>): string {
  return typeof content === 'string' ? content : textOf({ content })
}

function shorten(_: string, value: unknown): unknown {
  return typeof value === 'string' ? cut(value, longestInput) : value
}

/** The beginning and the end, where the reason mostly stands. */
function cut(text: string, longest: number): string {
  if (text.length <= longest) return text
  const half = Math.floor(longest / 2)
  return `${text.slice(0, half).replace(/[\ud800-\udbff]$/, '')} … ${text.slice(-half).replace(/^[\udc00-\udfff]/, '')}`
}

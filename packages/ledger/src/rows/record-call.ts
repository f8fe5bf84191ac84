import { createHash } from 'node:crypto'
import { callEntity, isCallEntity } from '@remora/protocol/fold'
import { type EventOf, getMessageText } from '@remora/protocol/plain'
import { getChannelRank } from './summary.ts'
import type { CallIndex, CallDetails } from './call-index.ts'

/** Limits of the input and output that are stored with a call. */
const maxInputLength = 2000
const maxErrorLength = 4000

/** The event types that report calls, and the prompts between them. */
export const callEventTypes = ['tool_use', 'tool_result', 'message'] as const
export type CallEventType = (typeof callEventTypes)[number]

/** The columns of an event that reports a call. */
export interface CallEventRow {
  readonly seq: number
  readonly session_id: number
  readonly entity: string
  readonly at: number
  readonly parent: string | null
  readonly channel: string
  readonly source: string
}

/** Finds the call that an event refers to, and stores what it reports. */
export function recordCall(index: CallIndex, row: CallEventRow, event: EventOf<CallEventType>): void {
  if (event.type === 'tool_use') recordStart(index, row, event)
  else if (event.type === 'tool_result') recordEnd(index, row, event)
  else if (event.role === 'user' && !event.context && row.parent === null && (event.content ?? []).length > 0)
    index.addPrompt(row.session_id, getChannelRank(row.channel), row.at, row.entity)
}

function recordStart(index: CallIndex, row: CallEventRow, event: EventOf<'tool_use'>): void {
  const details = toDetails(row, event)
  const isNameless = isCallEntity(row.entity)
  const { session_id: session } = row
  const channel = getChannelRank(row.channel)
  const known = isNameless ? undefined : index.findNamed(session, row.entity)
  if (known === null) return
  const alike = isNameless ? details.call : details.claudeCall
  const name = { session, entity: details.entity, channel }
  const id =
    known ??
    (details.named
      ? index.findUnnamed(session, details.call, details.claudeCall)
      : index.findUnreported(session, alike, index.findLast(name), channel))
  if (id !== undefined) {
    // The latest report of the best channel wins.
    index.update(id, details)
    index.addName(name, isNameless, id)
  } else if (details.named && channel === 0 && index.isCopy(session, row.entity, row.at)) {
    index.addName(name, isNameless, null)
  } else index.addName(name, isNameless, index.create(session, details))
}

function toDetails(row: CallEventRow, event: EventOf<'tool_use'>): CallDetails {
  const native = event.native ?? { name: event.name, input: event.input }
  return {
    entity: getCallName(row),
    // An id that is valid in one run only means nothing to other channels.
    named: !isCallEntity(row.entity) && !row.entity.startsWith(row.source),
    ...hashCall(event),
    channel: getChannelRank(row.channel),
    tool: event.name,
    native: native.name,
    input: JSON.stringify(native.input ?? null, shorten),
    parent: row.parent,
    reportedBy: row.seq,
    at: row.at,
  }
}

function recordEnd(index: CallIndex, row: CallEventRow, event: EventOf<'tool_result'>): void {
  const id = isCallEntity(row.entity) ? findRunning(index, row) : index.findNamed(row.session_id, row.entity)
  if (id === undefined || id === null) return
  const failed = event.status !== 'success'
  const text = failed && event.content !== undefined ? getText(event.content) : undefined
  const error = text === undefined ? null : cut(text, maxErrorLength)
  index.setEnd(id, {
    channel: getChannelRank(row.channel),
    status: event.status,
    failed,
    error,
    at: row.at,
    reportedBy: row.seq,
  })
}

/** The first running call of this name, as this channel reports it. */
function findRunning(index: CallIndex, row: CallEventRow): number | undefined {
  const name = { session: row.session_id, entity: getCallName(row), channel: getChannelRank(row.channel) }
  // An extra end refers to the last call.
  return index.endNext(name) ?? (index.findLast(name) || undefined)
}

/** Identifies a call without an id: hashes of the agent's own name and input, and of Claude's. */
export function hashCall({ name, input, native }: EventOf<'tool_use'>): {
  readonly call: string
  readonly claudeCall: string
} {
  const claudeCall = digest(callEntity(name, input))
  return { call: native ? digest(callEntity(native.name, native.input)) : claudeCall, claudeCall }
}

/** The name of a call in the index. A call without an id contains its whole input, so it is hashed. */
export function getCallName({ entity }: Pick<CallEventRow, 'entity'>): string {
  return isCallEntity(entity) ? `call:${digest(entity)}` : entity
}

function digest(text: string): string {
  return createHash('sha1').update(text).digest('base64url')
}

function getText(content: NonNullable<EventOf<'tool_result'>['content']>): string {
  return typeof content === 'string' ? content : getMessageText({ content })
}

function shorten(_: string, value: unknown): unknown {
  return typeof value === 'string' ? cut(value, maxInputLength) : value
}

/** Keeps the beginning and the end, where the reason usually is. */
function cut(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text
  const half = Math.floor(maxLength / 2)
  return `${text.slice(0, half).replace(/[\ud800-\udbff]$/, '')} … ${text.slice(-half).replace(/^[\udc00-\udfff]/, '')}`
}

import type { Event } from '@remora/protocol/plain'
import { parseTime } from '../../events/event-maker.ts'
import { asRecord, asString } from '../../events/fields.ts'
import type { AgentRecord } from '../../events/read-record.ts'
import { describeSession } from './session-files.ts'
import { personsParts } from './transcript-content.ts'

/** A session composed from the events of its files, in whatever format they were. */
export interface ComposedSession {
  readonly header: AgentRecord | undefined
  /** The fields of the session as a whole, with their latest values. */
  readonly about: AgentRecord
  readonly messages: readonly AgentRecord[]
  readonly startedAt: number
}

/**
 * Applies the records of a session like the CLI, with one exception: a list without any conversation does not replace
 * the messages before it. The start of a resume writes such lists.
 */
export function composeSession(events: readonly Event[]): ComposedSession {
  let header: AgentRecord | undefined
  const about: Record<string, unknown> = {}
  let messages = new Map<string, AgentRecord>()
  for (const event of events) {
    const record = asRecord(event.raw)
    const set = asRecord(record?.['$set'])
    const rewindTo = asString(record?.['$rewindTo'])
    const id = asString(record?.['id'])
    if (rewindTo !== undefined) messages = rewound(messages, rewindTo)
    else if (record && id !== undefined) upsert(messages, id, record)
    else if (set) {
      const list = messagesIn(set)
      if (list.some(isConversation)) messages = new Map(list.map((each) => [asString(each['id'])!, each]))
      updateHeader(about, set)
    } else if (record && asString(record['sessionId']) !== undefined) {
      header ??= withoutMessages(record)
      updateHeader(about, record)
    } else if (event.type === 'status' && event.status === 'rewound') messages = kept(messages, event.value)
  }
  const startedAt = parseTime(header?.['startTime']) ?? events[0]?.at ?? 0
  return { header, about, messages: [...messages.values()], startedAt }
}

/** Formats the current file format: the header, and each message once. */
export function asLines({ header, about, messages }: ComposedSession, added: AgentRecord): string {
  const changed = Object.entries({ ...about, ...added }).filter(
    ([name, value]) => JSON.stringify(header?.[name]) !== JSON.stringify(value),
  )
  const records = [
    header,
    ...messages,
    ...(changed.length > 0 ? [{ $set: Object.fromEntries(changed) }] : []),
  ]
  return records.map((record) => `${JSON.stringify(record)}\n`).join('')
}

/** Formats the single document of a file up to 0.38. */
export function asDocument({ header, about, messages }: ComposedSession, added: AgentRecord): string {
  return JSON.stringify({ ...header, ...about, ...added, messages }, undefined, 2)
}

/** Whether the CLI would find a conversation to continue. */
export function isSpoken(session: ComposedSession): boolean {
  return describeSession('.json', asDocument(session, { sessionId: '' })).spoken
}

/** The first start time and the latest update time win; every other field takes its latest value. */
function updateHeader(about: Record<string, unknown>, record: AgentRecord): void {
  for (const [name, value] of Object.entries(record)) {
    const known = about[name]
    if (name === 'messages' || (name === 'startTime' && known !== undefined)) continue
    if (name === 'lastUpdated' && (parseTime(known) ?? 0) > (parseTime(value) ?? 0)) continue
    about[name] = value
  }
}

function upsert(messages: Map<string, AgentRecord>, id: string, record: AgentRecord): void {
  // The context of a later start adds nothing.
  if (messages.size > 0 && !isConversation(record)) return
  messages.set(id, record)
}

function rewound(messages: Map<string, AgentRecord>, to: string): Map<string, AgentRecord> {
  const entries = [...messages]
  return new Map(
    entries.slice(
      0,
      Math.max(
        0,
        entries.findIndex(([id]) => id === to),
      ),
    ),
  )
}

/** Replaces the messages by those of a rewritten document. */
function kept(messages: Map<string, AgentRecord>, value: unknown): Map<string, AgentRecord> {
  const ids = asRecord(value)?.['keep']
  if (!Array.isArray(ids)) return messages
  return new Map([...messages].filter(([id]) => ids.includes(id)))
}

function messagesIn(set: AgentRecord): AgentRecord[] {
  const list: unknown[] = Array.isArray(set['messages']) ? set['messages'] : []
  return list.flatMap((each) => {
    const record = asRecord(each)
    return record && asString(record['id']) !== undefined ? [record] : []
  })
}

function withoutMessages(record: AgentRecord): AgentRecord {
  const { messages: _, ...rest } = record
  return rest
}

/** Whether the message is of the user or the model, not context added by the CLI. */
function isConversation(record: AgentRecord): boolean {
  return record['type'] !== 'user' || personsParts(record['content']).length > 0
}

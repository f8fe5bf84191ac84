import type { EventRecord } from '@remora/protocol/plain'
import type { DatabasePart, DatabaseRows, DatabaseSession } from '../../contract/agent.ts'
import { computeDigest } from '../../events/digest.ts'
import type { EventMaker } from '../../events/event-maker.ts'
import { asCount, asRecord, asString } from '../../events/fields.ts'
import { describeUnreadable } from '../../events/read-record.ts'
import {
  type Candidate,
  type ChangedMessage,
  changedMessages,
  changedSessions,
  lastChange,
  readMarks,
} from './changes.ts'
import { type Place, type State, Memory, isBefore, overlapMs, readState } from './database-state.ts'
import {
  type TimedFields,
  answerEvents,
  partEvents,
  promptEvents,
  sessionEvents,
  subagentEvents,
  unknownPart,
} from './row-events.ts'
import { type Row, findRow, parse, listParts, makeRecord } from './rows.ts'

/**
 * Reads OpenCode's database by session: the row of a message, then its parts. A user message is one record with its
 * parts.
 */
export const database: DatabasePart = readInPieces({ records: 500, characters: 4_000_000 })

/** @example readInPieces({ records: 500, characters: 4_000_000 }) */
export function readInPieces(most: { readonly records: number; readonly characters: number }): DatabasePart {
  return {
    *sessions(rows): Iterable<DatabaseSession> {
      const sql = 'SELECT id, directory, time_updated FROM session WHERE parent_id IS NULL'
      // Reads everything at once, because an open read would keep OpenCode from checkpointing its log.
      const found = Array.from(rows.rows(sql))
      for (const row of found) {
        const cwd = asString(row['directory'])
        const updatedAt = asCount(row['time_updated'])
        yield {
          id: asString(row['id']) ?? '',
          ...(cwd === undefined ? {} : { cwd }),
          ...(updatedAt === undefined ? {} : { updatedAt }),
        }
      }
    },

    *read(rows, maker, since, session) {
      const before = readState(since)
      // Taken before the read, so that changes during it are found the next time.
      const marks = before.pass?.next.marks ?? readMarks(rows)
      const sessions = changedSessions(rows, before, session)
      const at = before.pass?.next.at ?? Math.max(before.at, lastChange(rows, sessions, before.at === 0))
      const memory = new Memory(before, { ...before.pass?.next, at, marks })
      const reading = new Reading(rows, maker, memory, before.at === 0 ? 0 : before.at - overlapMs)

      let records: EventRecord[] = []
      let size = 0
      for (const { record, place } of reading.records(sessions, before.pass?.place)) {
        records.push(record)
        size += record.raw?.length ?? 0
        if (records.length < most.records && size < most.characters) continue
        yield { records, state: memory.state(place) }
        records = []
        size = 0
      }
      const state = memory.state()
      if (records.length > 0 || !sameState(state, before)) yield { records, state }
    },
  }
}

function sameState(a: State, b: State): boolean {
  return b.pass === undefined && a.at === b.at && JSON.stringify(a.marks) === JSON.stringify(b.marks)
}

interface Read {
  readonly record: EventRecord
  readonly place: Place
}

/** One read, from a state to the present. */
class Reading {
  readonly #rows: DatabaseRows
  readonly #maker: EventMaker
  readonly #memory: Memory
  readonly #since: number

  constructor(rows: DatabaseRows, maker: EventMaker, memory: Memory, since: number) {
    this.#rows = rows
    this.#maker = maker
    this.#memory = memory
    this.#since = since
  }

  *records(sessions: readonly Candidate[], from?: Place): Iterable<Read> {
    const { source, parent } = this.#maker
    try {
      for (const session of sessions) {
        const place = { session: [session.created, session.id] } as const
        if (from && isBefore(place.session, from.session)) continue
        const within = from?.session[1] === session.id ? from : undefined
        yield* this.#session(session, source, within)
      }
    } finally {
      this.#maker.source = source
      this.#maker.parent = parent
    }
  }

  *#session(session: Candidate, source: string, from?: Place): Iterable<Read> {
    const row = findRow(this.#rows, 'session', session.id)
    if (!row) return
    const work = findWork(this.#rows, session)
    this.#maker.session = work.root
    this.#maker.source = session.parent === undefined ? source : `${source}/${session.id}`
    const place: Place = { session: [session.created, session.id] }
    this.#maker.parent = work.callAt(session.created)
    const record = from ? undefined : this.#head(row, session)
    if (record) yield { record, place }
    for (const message of changedMessages(this.#rows, session.id, this.#since))
      yield* this.#message(message, work, place, from)
    const revert = this.#revert(row)
    // The revert is the last record of a session.
    if (revert) yield { record: revert, place: { ...place, message: [Number.MAX_SAFE_INTEGER, ''] } }
  }

  /** The row also changes with every token count; only the fields in our events make it a new record. */
  #head(row: Row, session: Candidate): EventRecord | undefined {
    const fields = session.parent === undefined ? sessionEvents(row) : subagentEvents(row)
    const digest = computeDigest(JSON.stringify(fields))
    return this.#memory.isNewSession(row.id, digest) ? this.#record(row, fields, digest) : undefined
  }

  *#message(changed: ChangedMessage, work: Work, session: Place, from?: Place): Iterable<Read> {
    const at = [changed.created, changed.id] as const
    if (from?.message && isBefore(at, from.message)) return
    const within = from?.message?.[1] === changed.id ? from : undefined
    if (within && within.part === undefined) return
    const message = findRow(this.#rows, 'message', changed.id)
    if (!message) return
    this.#maker.parent = work.callAt(message.created)
    const place: Place = { ...session, message: at }
    if (message.data['role'] === 'user') {
      const record = this.#prompt(message)
      if (record) yield { record, place }
      return
    }
    // The error of a message is its last record.
    const failed = message.data['error'] !== undefined
    if (changed.row && !failed && !within) yield* this.#answer(message, { ...place, part: '' })
    for (const id of changed.parts) {
      if (within?.part !== undefined && id <= within.part) continue
      const part = findRow(this.#rows, 'part', id)
      const record = part && this.#part(part, message)
      if (record) yield { record, place: { ...place, part: id } }
    }
    if (changed.row && failed) yield* this.#answer(message, place)
  }

  *#answer(message: Row, place: Place): Iterable<Read> {
    const record = this.#new(message, () => answerEvents(message))
    if (record) yield { record, place }
  }

  /** A user message is one record with its parts, and is emitted again when a part changes. */
  #prompt(message: Row): EventRecord | undefined {
    const parts = listParts(this.#rows, message.id)
    const whole: Row = {
      ...message,
      updated: parts.reduce((last, { updated }) => Math.max(last, updated), message.updated),
      digest: computeDigest([message, ...parts].map(({ digest }) => digest).join(' ')),
      record: { ...message.record, parts: parts.map(({ record }) => record) },
      text: `${message.text.slice(0, -1)},"parts":[${parts.map(({ text }) => text).join(',')}]}`,
    }
    return this.#new(whole, () =>
      promptEvents(
        message.id,
        parts.map(({ id, data }) => ({ ...data, id })),
      ),
    )
  }

  #part(row: Row, message: Row): EventRecord | undefined {
    const part = { ...row.data, id: row.id }
    return this.#new(row, () => partEvents(part, message) ?? [unknownPart(part)])
  }

  #revert(session: Row): EventRecord | undefined {
    const text = asString(session.record['revert'])
    const to = asString(asRecord(parse(text))?.['messageID'])
    const digest = to === undefined ? undefined : computeDigest(text!)
    const change = this.#memory.revert(session.id, digest)
    if (change === undefined) return undefined
    const value = change === 'back' ? { to } : { keep: this.#messageIds(session.id) }
    const key = `${session.id}/revert`
    this.#maker.next(session.updated, key, digest ?? computeDigest(session.text))
    return makeRecord(this.#maker, session, [{ type: 'status', entity: key, status: 'rewound', value }])
  }

  #messageIds(session: string): unknown[] {
    const found = this.#rows.rows('SELECT id FROM message WHERE session_id = ?', session)
    return Array.from(found, (row) => row['id'])
  }

  #new(row: Row, fields: () => TimedFields[]): EventRecord | undefined {
    if (!this.#memory.isNew(row.id, row.digest, row.updated)) return undefined
    try {
      return this.#record(row, fields())
    } catch (error) {
      // A damaged row costs only itself.
      const { what, raw } = describeUnreadable(row.text, error)
      return this.#record(row, [{ type: 'unknown', entity: `${row.id}/unknown`, what, raw }])
    }
  }

  #record(row: Row, fields: readonly TimedFields[], digest = row.digest): EventRecord {
    const created = asCount(asRecord(row.data['time'])?.['created'])
    this.#maker.next(created ?? row.created, row.id, digest)
    return makeRecord(this.#maker, row, fields)
  }
}

/** The owner of a session's work. */
interface Work {
  /** The session that the user started. */
  readonly root: string
  /** The call that the work belonged to at a time. A later call may continue the same session. */
  callAt(time: number): string | undefined
}

/**
 * Finds the owner of a session. A session with a parent is a sub-agent's; the call that started it contains its id.
 *
 * @example findWork(database, session).root
 */
function findWork(
  database: DatabaseRows,
  { id, parent }: { readonly id: string; readonly parent: string | undefined },
): Work {
  if (parent === undefined) return { root: id, callAt: () => undefined }
  const calls = findCalls(database, parent, id)
  return {
    root: findRoot(database, parent),
    // If the call is unknown, the session's own id groups the work.
    callAt: (time) => (calls.findLast(({ at }) => at <= time) ?? calls[0])?.call ?? id,
  }
}

function findRoot(database: DatabaseRows, session: string): string {
  const seen = new Set<string>()
  let root = session
  while (!seen.has(root)) {
    seen.add(root)
    const [row] = database.rows('SELECT parent_id FROM session WHERE id = ?', root)
    root = asString(row?.['parent_id']) ?? root
  }
  return root
}

function findCalls(database: DatabaseRows, parent: string, child: string): { call: string; at: number }[] {
  const sql = `SELECT time_created, data FROM part
    WHERE session_id = ? AND instr(data, ?) > 0 ORDER BY time_created, id`
  return Array.from(database.rows(sql, parent, JSON.stringify(child))).flatMap((row) => {
    const part = asRecord(parse(row['data']))
    const metadata = asRecord(asRecord(part?.['state'])?.['metadata'])
    const call = asString(part?.['callID'])
    if (call === undefined || metadata?.['sessionId'] !== child) return []
    return [{ call, at: asCount(row['time_created']) ?? 0 }]
  })
}

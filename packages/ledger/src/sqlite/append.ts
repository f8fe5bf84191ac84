import type { Event, EventRecord } from '@remora/protocol/plain'
import type { SqliteValue } from '@remora/sqlite'
import type { AppendOptions } from '../model/ledger.ts'
import { createLeaseLostError } from '../model/lease-lost-error.ts'
import { toMarkName } from '../rows/mark-name.ts'
import type { Connection } from './connection.ts'
import { encodeBody, encodeRaw } from '../rows/event-row.ts'
import { toUsageValues } from '../rows/usage.ts'
import {
  type Summary,
  getCountedMessage,
  getRank,
  summarize,
  getUsageRank,
  summaryColumns,
  toSummaryValues,
} from '../rows/summary.ts'

interface KnownSession extends Summary {
  readonly agent: string
  readonly session: string
  /** The ids of its sources by channel and name. */
  readonly sources: Map<string, number>
  /** The source that was used last. */
  source: { readonly channel: string; readonly source: string; readonly id: number } | undefined
  changed: boolean
  /** Whether its usage changed. */
  usageChanged: boolean
  /** The message that was counted last, since more blocks of it usually follow. */
  counted: string
}

/** Cached sessions. */
const maxSessions = 256

/** Stores events. Its cache is cleared as soon as another process has written. */
export class Appender {
  readonly #connection: Connection
  readonly #node: string | undefined
  readonly #sessions = new Map<string, KnownSession>()
  #forgotten = new Set<string>()
  #last: KnownSession | undefined
  /** Usage rows to write at the end: agents repeat the tokens of a message with each of its blocks. */
  readonly #usages = new Map<string, readonly SqliteValue[]>()
  #version = -1
  #head = 0

  constructor(connection: Connection, node?: string) {
    this.#connection = connection
    this.#node = node
  }

  /** Call it after another part of this process has changed sessions, or after a rollback. */
  reset(): void {
    this.#version = -1
  }

  /** Stores new events. Runs inside a write transaction. */
  append(records: readonly EventRecord[], options: AppendOptions): { added: number; head: number } {
    this.#refresh()
    if (options.lease) this.#checkLease(options.lease)
    const before = this.#head
    try {
      for (const record of records) this.#record(record)
      this.#saveUsages()
      for (const session of this.#sessions.values()) if (session.changed) this.#save(session)
      if (this.#head !== before) this.#connection.writeMeta('head', this.#head)
      if (options.marks) this.#mark(options.marks)
    } catch (error) {
      this.#usages.clear()
      this.reset()
      throw error
    }
    return { added: this.#head - before, head: this.#head }
  }

  #refresh(): void {
    const { data_version: version } = this.#connection
      .statement<{ data_version: number }>('PRAGMA data_version')
      .get()!
    if (version === this.#version && this.#sessions.size <= maxSessions) return
    this.#sessions.clear()
    this.#last = undefined
    this.#version = version
    this.#head = this.#connection.readMeta<number>('head')!
    const rows = this.#connection
      .statement<{ agent: string; session: string }>('SELECT agent, session FROM forgotten')
      .all()
    this.#forgotten = new Set(rows.map((row) => sessionId(row)))
  }

  #checkLease(lease: { name: string; term: number }): void {
    const held = this.#connection
      .statement('SELECT 1 FROM leases WHERE name = ? AND term = ? AND holder IS NOT NULL')
      .get(lease.name, lease.term)
    if (held === undefined) throw createLeaseLostError(lease.name)
  }

  #record({ events, raw }: EventRecord): void {
    let text = raw
    // The row that has the text of this record.
    let holder: { readonly seq: number; readonly text: string; readonly session: string } | undefined
    for (const event of events) {
      const session = this.#session(event)
      if (session === undefined) continue
      let own: string | undefined
      if (event.raw !== undefined) {
        own = text ?? encodeRaw(event)
        text = undefined
      }
      const shared = own === undefined && holder?.session === event.session ? holder : undefined
      if (!this.#insert(session, event, own, shared)) continue
      if (own !== undefined) holder ??= { seq: this.#head, text: own, session: event.session }
      this.#summarize(session, event)
    }
  }

  #insert(
    session: KnownSession,
    event: Event,
    own: string | undefined,
    shared: { readonly seq: number; readonly text: string } | undefined,
  ): boolean {
    const body = encodeBody(event, own ?? shared?.text)
    const { changes } = this.#connection
      .statement(
        `INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT (source_id, key, digest) DO NOTHING`,
      )
      .run(
        this.#head + 1,
        session.id,
        this.#source(session, event),
        event.origin.key,
        event.origin.digest ?? '',
        event.type,
        event.entity,
        event.at,
        event.parent ?? null,
        shared && body.startsWith('[') ? shared.seq : null,
        body,
        own ?? null,
      )
    if (changes === 0) return false
    this.#head++
    return true
  }

  #summarize(session: KnownSession, event: Event): void {
    session.changed = true
    summarize(session, event)
    const message = getCountedMessage(event)
    if (message !== undefined) {
      const rank = getRank(event)
      const counted = `${rank} ${message}`
      if (session.counted !== counted) {
        session.counted = counted
        const { changes } = this.#connection
          .statement('INSERT OR IGNORE INTO messages VALUES (?, ?, ?)')
          .run(session.id, rank, message)
        session.counts[rank]! += changes
      }
    }
    if (event.type === 'usage') {
      session.usageChanged = true
      const rank = getUsageRank(event)
      this.#usages.set(`${session.id} ${rank} ${event.entity}`, [
        session.id,
        rank,
        event.entity,
        ...toUsageValues(event),
      ])
    }
  }

  #saveUsages(): void {
    const marks = Array.from({ length: 15 }, () => '?').join()
    const statement = this.#connection.statement(`INSERT OR REPLACE INTO usages VALUES (${marks})`)
    for (const row of this.#usages.values()) statement.run(...row)
    this.#usages.clear()
  }

  /** Undefined for a forgotten session. */
  #session(event: Event): KnownSession | undefined {
    // Events of one session usually come together.
    const last = this.#last
    if (last && last.session === event.session && last.agent === event.agent) return last
    const id = sessionId(event)
    const session = this.#sessions.get(id)
    if (session) return (this.#last = session)
    if (this.#forgotten.has(id)) return undefined
    const loaded = this.#load(event) ?? this.#create(event)
    this.#sessions.set(id, loaded)
    return (this.#last = loaded)
  }

  #load({ agent, session }: Event): KnownSession | undefined {
    const row = this.#connection
      .statement<Omit<Summary, 'counts'> & { message_counts: string }>(
        `SELECT id, ${summaryColumns.join()} FROM sessions WHERE agent = ? AND session = ?`,
      )
      .get(agent, session)
    if (!row) return undefined
    const { message_counts: counts, ...summary } = row
    return {
      ...summary,
      agent,
      session,
      counts: JSON.parse(counts) as number[],
      sources: new Map(),
      source: undefined,
      changed: false,
      usageChanged: false,
      counted: '',
    }
  }

  #create(event: Event): KnownSession {
    this.#connection
      .statement(
        `INSERT INTO sessions (agent, session, told_by, message_counts, started_at, updated_at, node)
         VALUES (?, ?, 99, '[0,0,0,0,0]', 0, 0, ?)`,
      )
      .run(event.agent, event.session, this.#node ?? null)
    return this.#load(event)!
  }

  #save(session: KnownSession): void {
    const columns = summaryColumns.map((name) => `${name} = ?`).join()
    this.#connection
      .statement(`UPDATE sessions SET ${columns}, usage_stale = max(usage_stale, ?) WHERE id = ?`)
      .run(...toSummaryValues(session), Number(session.usageChanged), session.id)
    session.changed = false
    session.usageChanged = false
  }

  #source(session: KnownSession, { origin }: Event): number {
    const last = session.source
    if (last && last.source === origin.source && last.channel === origin.channel) return last.id
    const name = `${origin.channel} ${origin.source}`
    let id = session.sources.get(name)
    if (id === undefined) {
      const parameters = [session.id, origin.channel, origin.source]
      this.#connection
        .statement('INSERT OR IGNORE INTO sources (session_id, channel, source) VALUES (?, ?, ?)')
        .run(...parameters)
      const row = this.#connection
        .statement<{ id: number }>(
          'SELECT id FROM sources WHERE session_id = ? AND channel = ? AND source = ?',
        )
        .get(...parameters)!
      id = row.id
      session.sources.set(name, id)
    }
    session.source = { channel: origin.channel, source: origin.source, id }
    return id
  }

  #mark(marks: Readonly<Record<string, unknown>>): void {
    for (const [given, value] of Object.entries(marks)) {
      const name = toMarkName(this.#node, given)
      if (value === undefined) this.#connection.statement('DELETE FROM marks WHERE name = ?').run(name)
      else
        this.#connection
          .statement('INSERT OR REPLACE INTO marks VALUES (?, ?)')
          .run(name, JSON.stringify(value))
    }
  }
}

function sessionId({ agent, session }: { readonly agent: string; readonly session: string }): string {
  return `${agent}\0${session}`
}

import { getCountedMessage, getRank, toSummaryValues } from '@remora/ledger/internal'
import type { AppendLoad, AppendOutcome } from './append.ts'
import { appendSql } from './append-procedure.ts'
import { type Connection, getNotifyChannel } from './connection.ts'
import { type EventRow, toColumns, encodeRows, statementBytes } from './event-rows.ts'
import { hashKey } from './hash.ts'
import { type Item, getOriginId } from './items.ts'
import { type SessionCache, getMessageId } from './session-cache.ts'
import type { OpenSession } from './lock-sessions.ts'
import { type MarkRow, toMarkRows } from './marks.ts'
import { encodeUuidArray } from './parameters.ts'
import type { SourceCache, SourceRefs } from './source-cache.ts'
import { sessionColumns, summarizeSessions, usageColumns } from './session-updates.ts'
import { encodeText } from './text-encoding.ts'

/**
 * Optimistic append: stores several appends in one call, assuming that all events are new and that no other process
 * wrote to their sessions. The database verifies that (append-procedure.ts).
 */
export class OptimisticAppend {
  readonly #connection: Connection
  readonly #known: SessionCache
  readonly #sources: SourceCache

  constructor(connection: Connection, known: SessionCache, sources: SourceCache) {
    this.#connection = connection
    this.#known = known
    this.#sources = sources
  }

  /** The cached ids of these items, if all are cached. */
  findRefs(items: readonly Item[], sessions: Iterable<string>): SourceRefs | undefined {
    if (items.length === 0) return undefined
    for (const key of sessions) if (!this.#known.has(key)) return undefined
    return this.#sources.find(items)
  }

  /** Returns undefined and stores nothing if an assumption was wrong. */
  async append(loads: readonly KnownLoad[]): Promise<AppendOutcome[] | undefined> {
    const { items, rows, added } = encodeLoads(loads)
    if (getSize(rows) > statementBytes) return undefined
    // In the order in which all writers lock sessions.
    const keys = [...new Set(loads.flatMap(({ sessions }) => [...sessions]))].sort()
    const sessions = new Map(keys.map((key) => [key, this.#known.open(key)]))
    const { rows: messages, reported } = this.#count(items, sessions)
    const usages = summarizeSessions(items, sessions)
    const stored = await this.#connection.call<{ last: number | null }>(
      appendSql,
      toJsonRows(collectLeases(loads)),
      toJsonRows([...sessions.values()].map(toSessionRow)),
      toJsonRows(messages),
      toJsonRows(usages.map(toUsageRow)),
      toJsonRows(collectMarks(loads, this.#connection.node)),
      getNotifyChannel(this.#connection.epoch),
      this.#connection.writer,
      encodeUuidArray(rows.map(({ item }) => item.origin)),
      ...toColumns(rows),
    )
    const { last } = stored!
    if (last === null) return undefined
    this.#connection.onWrite()
    for (const [key, session] of sessions) this.#known.keep(key, session, reported.get(key)!)
    let end = last - rows.length
    return added.map((count) => ({ added: count, head: (end += count) }))
  }

  /** Counts messages that seem to be new. Returns their rows, and all messages by session. */
  #count(items: readonly Item[], sessions: ReadonlyMap<string, OpenSession>): Counted {
    const rows: MessageRow[] = []
    const reported = new Map<string, Set<string>>([...sessions.keys()].map((key) => [key, new Set()]))
    for (const { event, session: key } of items) {
      const message = getMessageId(event)
      const own = reported.get(key)!
      if (message === undefined || own.has(message)) continue
      own.add(message)
      if (this.#known.hasMessage(key, message)) continue
      const [session, channel] = [sessions.get(key)!, getRank(event)]
      rows.push({ session_id: session.id, channel, entity: hashKey(getCountedMessage(event)!) })
      session.counts[channel]! += 1
    }
    return { rows, reported }
  }
}

/** An append whose sessions and sources are cached. */
export interface KnownLoad extends AppendLoad {
  readonly refs: SourceRefs
}

interface Counted {
  readonly rows: readonly MessageRow[]
  readonly reported: ReadonlyMap<string, ReadonlySet<string>>
}

interface MessageRow {
  readonly session_id: number
  readonly channel: number
  readonly entity: string
}

interface Rows {
  readonly items: readonly Item[]
  readonly rows: readonly EventRow[]
  /** The number of events that each append adds. */
  readonly added: readonly number[]
}

/** Encodes all events, each once. */
function encodeLoads(loads: readonly KnownLoad[]): Rows {
  const origins = new Set<string>()
  const items: Item[] = []
  const rows: EventRow[] = []
  const added: number[] = []
  for (const { items: own, refs } of loads) {
    const fresh = own.filter((item) => {
      const { size } = origins
      return origins.add(getOriginId(item, refs.get(item)!)).size > size
    })
    // Records are numbered within each append.
    for (const row of encodeRows(fresh, refs, rows.length)) rows.push(row)
    for (const item of fresh) items.push(item)
    added.push(fresh.length)
  }
  return { items, rows, added }
}

function getSize(rows: readonly EventRow[]): number {
  let size = 0
  for (const { body, raw } of rows) size += body.length + (raw?.length ?? 0)
  return size
}

function collectLeases(loads: readonly AppendLoad[]): object[] {
  return loads.flatMap(({ options: { lease } }) =>
    lease ? [{ key: hashKey(lease.name), term: lease.term }] : [],
  )
}

function toSessionRow(session: OpenSession): object {
  const { id, revision, usageChanged } = session
  const values = toSummaryValues(session)
  return { id, revision, spent: usageChanged, ...toRow(sessionColumns, values) }
}

function toUsageRow(values: readonly unknown[]): object {
  return toRow(usageColumns, values)
}

function toRow(
  columns: readonly (readonly [name: string, type: string])[],
  values: readonly unknown[],
): object {
  return Object.fromEntries(columns.map(([name], index) => [name, values[index]]))
}

/** If several appends set a mark, the last one wins. */
function collectMarks(loads: readonly AppendLoad[], node: string | undefined): MarkRow[] {
  const rows = new Map<string, MarkRow>()
  for (const { options } of loads)
    for (const row of options.marks ? toMarkRows(options.marks, node) : []) rows.set(row.key, row)
  return [...rows.values()]
}

/** Encodes rows as one parameter; null for none. JSON has the same forbidden characters as text. */
function toJsonRows(rows: readonly object[]): string | null {
  if (rows.length === 0) return null
  return JSON.stringify(rows, (_, value: unknown) => (typeof value === 'string' ? encodeText(value) : value))
}

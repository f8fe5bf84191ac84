import type { AppendOptions, Lease } from '@remora/ledger'
import { createLeaseLostError } from '@remora/ledger/internal'
import type { AppendOutcome } from './append.ts'
import type { Connection, TransactionEnd, Queries } from './connection.ts'
import { encodeRows, buildInserts } from './event-rows.ts'
import { logMessageSql } from './flush.ts'
import { hashKey } from './hash.ts'
import { type Item, listSessionKeys, getOriginId } from './items.ts'
import { type SessionCache, getMessageId } from './session-cache.ts'
import { type OpenSession, lockExistingSessions, lockSessions } from './lock-sessions.ts'
import { toMarkRows, buildSetMarks } from './marks.ts'
import { type SourceCache, type SourceRefs, findSources } from './source-cache.ts'
import { type MessageCount, countMessages, buildUpdates } from './session-updates.ts'

/** A cached session or source no longer exists. */
export class StaleCacheError extends Error {}

/** Fallback append: reads first, so some events may be stored already and nothing needs to be cached. */
export class FallbackAppend {
  readonly #connection: Connection
  readonly #known: SessionCache
  readonly #sources: SourceCache

  constructor(connection: Connection, known: SessionCache, sources: SourceCache) {
    this.#connection = connection
    this.#known = known
    this.#sources = sources
  }

  append(items: readonly Item[], options: AppendOptions): Promise<AppendOutcome> {
    return this.#connection.finish((queries) => this.#store(queries, items, options))
  }

  /**
   * Runs inside a transaction. It locks the sessions first, and with them their origins, so that most work is done
   * before the head is locked, for which all writers wait.
   */
  async #store(
    queries: Queries,
    items: readonly Item[],
    { lease, marks }: AppendOptions,
  ): Promise<TransactionEnd<AppendOutcome>> {
    const checked = lease ? checkLease(queries, lease) : undefined
    const guess = this.#sources.find(items)
    const [{ sessions, refs, fresh, counts }] = await Promise.all([
      guess ? lockKnown(queries, items, guess) : this.#find(queries, items),
      checked,
    ])
    const rows = encodeRows(fresh, refs)
    const changed = rows.length > 0 || marks !== undefined
    const statements: TransactionEnd<AppendOutcome>['statements'] = [
      ...buildUpdates(fresh, sessions, counts),
      ...(marks ? buildSetMarks(toMarkRows(marks, this.#connection.node)) : []),
      ...buildInserts(rows),
      // Events that were stored already may not be flushed yet, and a commit without changes does not wait for a flush.
      ...(rows.length === 0 ? [[`SELECT ${logMessageSql}`] as const] : []),
      changed ? this.#connection.buildNotify() : ['SELECT seq FROM head'],
    ]
    return {
      statements,
      changed,
      result: (found) => {
        this.#sources.keep(refs)
        this.#learn(sessions, items, fresh)
        return { added: rows.length, head: (found.at(-1) as { seq: number }).seq }
      },
    }
  }

  /**
   * Updates the cache. A session whose events were repeated is removed from it, since more repetitions usually follow.
   */
  #learn(sessions: ReadonlyMap<string, OpenSession>, items: readonly Item[], fresh: readonly Item[]): void {
    const messages = new Map<string, string[]>([...sessions.keys()].map((key) => [key, []]))
    for (const { session, event } of items) {
      const message = getMessageId(event)
      if (message !== undefined) messages.get(session)?.push(message)
    }
    const again = new Set(items)
    for (const item of fresh) again.delete(item)
    for (const [key, session] of sessions) this.#known.keep(key, session, messages.get(key)!)
    for (const { session } of again) this.#known.forget(session)
  }

  /** The slow path, for sessions and sources that this process has not written to yet. */
  async #find(queries: Queries, items: readonly Item[]): Promise<Found> {
    const sessions = await lockSessions(queries, listSessionKeys(items), this.#connection.node)
    const known = items.filter(({ session }) => sessions.has(session))
    const refs = await findSources(queries, known, sessions)
    const [fresh, counts] = await insertOriginsAndMessages(queries, known, refs)
    return { sessions, refs, fresh, counts }
  }
}

/** What an append must know before it can assign numbers. */
interface Found {
  readonly sessions: ReadonlyMap<string, OpenSession>
  readonly refs: SourceRefs
  /** Events that were not stored yet. */
  readonly fresh: readonly Item[]
  readonly counts: readonly MessageCount[]
}

/** The fast path: uses cached ids in one round trip and verifies them. */
async function lockKnown(queries: Queries, items: readonly Item[], refs: SourceRefs): Promise<Found> {
  const [sessions, [fresh, counts]] = await Promise.all([
    lockExistingSessions(queries, listSessionKeys(items)),
    insertOriginsAndMessages(queries, items, refs),
  ])
  for (const [{ session }, ref] of refs)
    if (sessions.get(session)?.id !== ref.session) throw new StaleCacheError('A cached session was deleted')
  return { sessions, refs, fresh, counts }
}

/** Inserts origins and messages, and returns which of them are new. */
function insertOriginsAndMessages(
  queries: Queries,
  items: readonly Item[],
  refs: SourceRefs,
): Promise<[fresh: Item[], counts: MessageCount[]]> {
  return Promise.all([keepNew(queries, items, refs), countMessages(queries, items, refs)])
}

/** Locks the lease: a process that wants to take it over waits for the transaction. */
async function checkLease(queries: Queries, { name, term }: Lease): Promise<void> {
  const held = await queries.get(
    'SELECT 1 FROM leases WHERE key = $1 AND term = $2 AND holder IS NOT NULL FOR SHARE',
    hashKey(name),
    term,
  )
  if (held === undefined) throw createLeaseLostError(name)
}

/** Returns events whose origin is new, each once. */
async function keepNew(queries: Queries, items: readonly Item[], refs: SourceRefs): Promise<Item[]> {
  const first = new Map<string, Item>()
  for (const item of items) {
    const id = getOriginId(item, refs.get(item)!)
    if (!first.has(id)) first.set(id, item)
  }
  if (first.size === 0) return []
  const once = [...first.values()]
  const stored = await queries.get<{ count: number; ids: string | null }>(
    // Usually all are new, and their ids need not be returned.
    `WITH stored AS (
       INSERT INTO origins (source_id, origin) SELECT * FROM unnest($1::bigint[], $2::uuid[])
       ON CONFLICT DO NOTHING RETURNING source_id, origin
     ) SELECT count(*) AS count,
         CASE WHEN count(*) < $3::bigint THEN string_agg(source_id || ' ' || replace(origin::text, '-', ''), ',') END AS ids FROM stored`,
    once.map((item) => refs.get(item)!.source),
    once.map(({ origin }) => origin),
    once.length,
  )
  if (stored!.count === once.length) return once
  const ids = new Set(stored!.ids?.split(','))
  return [...first].filter(([id]) => ids.has(id)).map(([, item]) => item)
}

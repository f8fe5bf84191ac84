import type { AppendOptions, Lease } from '@remora/ledger'
import { createLeaseLostError } from '@remora/ledger/engine'
import type { Outcome } from './append.ts'
import type { Connection, Ending, Queries } from './connection.ts'
import { encodeRows, insertEvents } from './event-rows.ts'
import { wordSql } from './flush.ts'
import { hashOf } from './hash.ts'
import { type Item, keysOf, originOf } from './items.ts'
import { type KnownSessions, messageOf } from './known-sessions.ts'
import { type OpenSession, holdSessions, lockSessions } from './lock-sessions.ts'
import { markRows, setMarks } from './marks.ts'
import { type KnownPlaces, type Places, findPlaces } from './places.ts'
import { type MessageCount, countMessages, saveAll } from './take-in.ts'

/** What this process knew of a session is not so any more. */
export class Outdated extends Error {}

/** Stores events of which some may be stored already, and of sessions of which nothing may be known: it asks first. */
export class CarefulAppend {
  readonly #connection: Connection
  readonly #known: KnownSessions
  readonly #places: KnownPlaces

  constructor(connection: Connection, known: KnownSessions, places: KnownPlaces) {
    this.#connection = connection
    this.#known = known
    this.#places = places
  }

  append(items: readonly Item[], options: AppendOptions): Promise<Outcome> {
    return this.#connection.finish((queries) => this.#store(queries, items, options))
  }

  /**
   * Inside a transaction. First the sessions are held, and with them their origins, which no other writer touches
   * meanwhile; so nearly all is done before the head is held, for which all writers wait.
   */
  async #store(
    queries: Queries,
    items: readonly Item[],
    { lease, marks }: AppendOptions,
  ): Promise<Ending<Outcome>> {
    const checked = lease ? checkLease(queries, lease) : undefined
    const guess = this.#places.places(items)
    const [{ sessions, places, fresh, counts }] = await Promise.all([
      guess ? hold(queries, items, guess) : this.#find(queries, items),
      checked,
    ])
    const rows = encodeRows(fresh, places)
    const changed = rows.length > 0 || marks !== undefined
    const statements: Ending<Outcome>['statements'] = [
      ...saveAll(fresh, sessions, counts),
      ...(marks ? setMarks(markRows(marks, this.#connection.node)) : []),
      ...insertEvents(rows),
      // What was there already may not be on the disk yet; and a commit that has nothing to write does not wait for it.
      ...(rows.length === 0 ? [[`SELECT ${wordSql}`] as const] : []),
      changed ? this.#connection.notice() : ['SELECT seq FROM head'],
    ]
    return {
      statements,
      changed,
      result: (found) => {
        this.#places.keep(places)
        this.#learn(sessions, items, fresh)
        return { added: rows.length, head: (found.at(-1) as { seq: number }).seq }
      },
    }
  }

  /** What is known of the sessions now. Where something is read again, there is mostly more of it: then it is asked. */
  #learn(sessions: ReadonlyMap<string, OpenSession>, items: readonly Item[], fresh: readonly Item[]): void {
    const messages = new Map<string, string[]>([...sessions.keys()].map((key) => [key, []]))
    for (const { session, event } of items) {
      const message = messageOf(event)
      if (message !== undefined) messages.get(session)?.push(message)
    }
    const again = new Set(items)
    for (const item of fresh) again.delete(item)
    for (const [key, session] of sessions) this.#known.keep(key, session, messages.get(key)!)
    for (const { session } of again) this.#known.forget(session)
  }

  /** The slow way, for sessions and sources that this process has not written to yet. */
  async #find(queries: Queries, items: readonly Item[]): Promise<Found> {
    const sessions = await lockSessions(queries, keysOf(items), this.#connection.node)
    const known = items.filter(({ session }) => sessions.has(session))
    const places = await findPlaces(queries, known, sessions)
    const [fresh, counts] = await tell(queries, known, places)
    return { sessions, places, fresh, counts }
  }
}

/** What an append has to know of the database before it can give numbers. */
interface Found {
  readonly sessions: ReadonlyMap<string, OpenSession>
  readonly places: Places
  /** Those that were not stored yet. */
  readonly fresh: readonly Item[]
  readonly counts: readonly MessageCount[]
}

/** The quick way: everything in one go, by what was known before; and it is looked whether that is still so. */
async function hold(queries: Queries, items: readonly Item[], places: Places): Promise<Found> {
  const [sessions, [fresh, counts]] = await Promise.all([
    holdSessions(queries, keysOf(items)),
    tell(queries, items, places),
  ])
  for (const [{ session }, place] of places)
    if (sessions.get(session)?.id !== place.session) throw new Outdated('A session was made anew')
  return { sessions, places, fresh, counts }
}

/** Tells the database of origins and messages, and hears which of them are new. What is stored already stays so. */
function tell(
  queries: Queries,
  items: readonly Item[],
  places: Places,
): Promise<[fresh: Item[], counts: MessageCount[]]> {
  return Promise.all([keepNew(queries, items, places), countMessages(queries, items, places)])
}

/** It stays ours for as long as the transaction takes: whoever wants to take it over waits. */
async function checkLease(queries: Queries, { name, term }: Lease): Promise<void> {
  const held = await queries.get(
    'SELECT 1 FROM leases WHERE key = $1 AND term = $2 AND holder IS NOT NULL FOR SHARE',
    hashOf(name),
    term,
  )
  if (held === undefined) throw createLeaseLostError(name)
}

/** Those whose origin was not stored yet, each once. */
async function keepNew(queries: Queries, items: readonly Item[], places: Places): Promise<Item[]> {
  const first = new Map<string, Item>()
  for (const item of items) {
    const id = originOf(item, places.get(item)!)
    if (!first.has(id)) first.set(id, item)
  }
  if (first.size === 0) return []
  const once = [...first.values()]
  const stored = await queries.get<{ count: number; ids: string | null }>(
    // Mostly all of them are new, and then nobody need be told which.
    `WITH stored AS (
       INSERT INTO origins (source_id, origin) SELECT * FROM unnest($1::bigint[], $2::uuid[])
       ON CONFLICT DO NOTHING RETURNING source_id, origin
     ) SELECT count(*) AS count,
         CASE WHEN count(*) < $3::bigint THEN string_agg(source_id || ' ' || replace(origin::text, '-', ''), ',') END AS ids FROM stored`,
    once.map((item) => places.get(item)!.source),
    once.map(({ origin }) => origin),
    once.length,
  )
  if (stored!.count === once.length) return once
  const ids = new Set(stored!.ids?.split(','))
  return [...first].filter(([id]) => ids.has(id)).map(([, item]) => item)
}

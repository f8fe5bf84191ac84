import type { Item } from './items.ts'
import type { Connection, Queries } from './connection.ts'
import type { OpenSession } from './lock-sessions.ts'

/** The ids of the session and the source of an event. */
export interface SourceRef {
  readonly session: number
  readonly source: number
}

export type SourceRefs = ReadonlyMap<Item, SourceRef>

const maxEntries = 20_000

/**
 * Caches ids of sessions and sources that this process has written to. Ids are never reused, so an entry is wrong only
 * if its session was deleted and created again. The cache is cleared when a connection is lost: another server may take
 * over.
 */
export class SourceCache {
  readonly #connection: Connection
  readonly #refs = new Map<string, SourceRef>()
  #losses = 0

  constructor(connection: Connection) {
    this.#connection = connection
  }

  clear(): void {
    this.#refs.clear()
  }

  /** The ids of all these items, or undefined. */
  find(items: readonly Item[]): SourceRefs | undefined {
    if (this.#losses !== this.#connection.losses || this.#refs.size > maxEntries) this.clear()
    this.#losses = this.#connection.losses
    const refs = new Map<Item, SourceRef>()
    let last: Item | undefined
    let ref: SourceRef | undefined
    for (const item of items) {
      // Usually the same as before, which saves building the key.
      if (!ref || last?.session !== item.session || last.source !== item.source)
        ref = this.#refs.get(toCacheKey(item))
      if (!ref) return undefined
      refs.set(item, ref)
      last = item
    }
    return refs
  }

  /** Call it after the commit. */
  keep(refs: SourceRefs): void {
    let last: SourceRef | undefined
    for (const [item, ref] of refs) {
      if (ref.session !== last?.session || ref.source !== last.source) this.#refs.set(toCacheKey(item), ref)
      last = ref
    }
  }
}

function toCacheKey({ session, source }: Item): string {
  return `${session} ${source}`
}

interface SourceRow {
  readonly id: number
  readonly session_id: number
  readonly key: string
}

/** Finds the source of each item. Missing sources are created; their sessions are locked. */
export async function findSources(
  queries: Queries,
  items: readonly Item[],
  sessions: ReadonlyMap<string, OpenSession>,
): Promise<SourceRefs> {
  const getSessionId = ({ session }: Item): number => sessions.get(session)!.id
  const wanted = new Map<string, Item>()
  for (const item of items) wanted.set(`${getSessionId(item)} ${item.source}`, item)
  const sources = new Map<string, number>()
  const take = (rows: readonly SourceRow[]): void => {
    for (const { id, session_id: session, key } of rows) sources.set(`${session} ${key}`, id)
  }
  const missing = (): Item[] => [...wanted].filter(([id]) => !sources.has(id)).map(([, item]) => item)
  if (missing().length > 0)
    take(
      await queries.all<SourceRow>(
        `SELECT id, session_id, key FROM sources
         WHERE (session_id, key) IN (SELECT * FROM unnest($1::bigint[], $2::uuid[]))`,
        missing().map(getSessionId),
        missing().map(({ source }) => source),
      ),
    )
  if (missing().length > 0)
    take(
      await queries.all<SourceRow>(
        `INSERT INTO sources (session_id, key, channel, source)
         SELECT * FROM unnest($1::bigint[], $2::uuid[], $3::text[], $4::text[]) RETURNING id, session_id, key`,
        missing().map(getSessionId),
        missing().map(({ source }) => source),
        missing().map(({ event }) => event.origin.channel),
        missing().map(({ event }) => event.origin.source),
      ),
    )
  return new Map(
    items.map((item) => {
      const session = getSessionId(item)
      return [item, { session, source: sources.get(`${session} ${item.source}`)! }]
    }),
  )
}

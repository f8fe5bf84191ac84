import type { SessionInfo } from '@remora/protocol/api'
import { keepSame } from '../state/keep-same.ts'
import type { SessionKey } from '../wire/api.ts'

/** The query of a page of sessions. */
export interface PageQuery {
  readonly agent?: string | undefined
  readonly node?: string | undefined
  readonly hidden: boolean
  readonly pinned?: boolean
  /** Only sessions last active at or before this time. */
  readonly until?: number | undefined
  readonly limit: number
}

export type Sessions = ReadonlyMap<string, SessionInfo>

export function toSessionId({ agent, session }: SessionKey): string {
  return `${agent}/${session}`
}

/**
 * Merges a page into the known sessions. A page is complete between its first and last session, so known sessions
 * missing there were removed.
 */
export function mergePage(
  known: Sessions,
  page: readonly SessionInfo[],
  query: PageQuery,
): Map<string, SessionInfo> {
  const updated = new Map(page.map((entry) => [toSessionId(entry), entry]))
  const oldest = page.length < query.limit ? -Infinity : page.at(-1)!.updatedAt
  const isMissing = (entry: SessionInfo): boolean =>
    entry.updatedAt > oldest &&
    (query.until === undefined || entry.updatedAt < query.until) &&
    (query.agent === undefined || entry.agent === query.agent) &&
    (query.node === undefined || entry.node === query.node) &&
    (query.hidden || !entry.hidden) &&
    (!query.pinned || entry.pinned)
  const merged = new Map<string, SessionInfo>()
  for (const [id, entry] of known) if (!updated.has(id) && !isMissing(entry)) merged.set(id, entry)
  for (const [id, entry] of updated) {
    // List responses contain no archives.
    const { archives } = known.get(id) ?? {}
    merged.set(id, keepSame(known.get(id), archives ? { ...entry, archives } : entry))
  }
  return merged
}

import type { Ledger, SessionKey } from '@remora/ledger'

/** The stored record of a live session. */
export interface LiveRecord extends SessionKey {
  readonly id: string
}

const prefix = 'server/live/'

/**
 * The server's live sessions as stored in the ledger, also while no server is running.
 *
 * @example const records = await listLiveRecords(ledger)
 */
export async function listLiveRecords(ledger: Ledger): Promise<LiveRecord[]> {
  const marks = await ledger.marks(prefix)
  return [...marks.values()].filter(isRecord)
}

/** Finds a live session by the id in `remora ls`. @example await findLiveRecord(ledger, 'l-7f3k9q') */
export async function findLiveRecord(ledger: Ledger, id: string): Promise<LiveRecord | undefined> {
  if (!id.startsWith('l-')) return undefined
  const own = (await listLiveRecords(ledger)).find((record) => record.id === id)
  if (own || ledger.node === undefined) return own
  return (await ledger.nodes.list()).flatMap(({ live }) => live).find((info) => info.id === id)
}

function isRecord(value: unknown): value is LiveRecord {
  const { id, agent, session } = (value ?? {}) as Record<string, unknown>
  return typeof id === 'string' && typeof agent === 'string' && typeof session === 'string'
}

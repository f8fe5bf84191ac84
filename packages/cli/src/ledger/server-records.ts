// What the server stores in the ledger, for commands that read it while no server is running.
import type { Ledger, SessionKey } from '@remora/ledger'
import type { Device, Person } from '@remora/protocol/api'
import type { LiveInfo } from '@remora/protocol/plain'

/** The stored record of a live session. */
export type LiveRecord = SessionKey &
  Pick<LiveInfo, 'id'> &
  Partial<Pick<LiveInfo, 'channel' | 'cwd' | 'startedAt' | 'adopted' | 'worktree' | 'reviews'>> & {
    readonly terminal?: { readonly socket: string; readonly pane: string }
    /** The mode in which it was started. */
    readonly starts?: string
    /** The state that the server recorded last. */
    readonly told?: Partial<Pick<LiveInfo, 'state' | 'since' | 'mode' | 'model'>>
  }

/** A machine without a heartbeat for this long is offline. */
export const silentMs = 20_000

/**
 * The server's live sessions as stored in the ledger, also while no server is running.
 *
 * @example const records = await listLiveRecords(ledger)
 */
export async function listLiveRecords(ledger: Ledger): Promise<LiveRecord[]> {
  const marks = await ledger.marks('server/live/')
  return [...marks.values()].filter(isRecord)
}

/** Finds a live session by the id in `remora ls`. @example await findLiveRecord(ledger, 'l-7f3k9q') */
export async function findLiveRecord(ledger: Ledger, id: string): Promise<SessionKey | undefined> {
  if (!id.startsWith('l-')) return undefined
  const own = (await listLiveRecords(ledger)).find((record) => record.id === id)
  if (own || ledger.node === undefined) return own
  return (await ledger.nodes.list()).flatMap(({ live }) => live).find((info) => info.id === id)
}

/** Live sessions of this and other machines, with the state that their servers recorded last. */
export async function listStoredLive(ledger: Ledger): Promise<LiveInfo[]> {
  const own = await Promise.all(
    (await listLiveRecords(ledger)).map(async (record): Promise<LiveInfo> => {
      const { id, agent, session, told = {}, startedAt = 0 } = record
      const key = { agent, session }
      const entry = await ledger.session(key)
      return {
        id,
        ...key,
        channel: record.channel ?? 'terminal',
        state: told.state ?? 'starting',
        cwd: record.cwd ?? '',
        title: entry?.name ?? entry?.title ?? entry?.firstPrompt,
        mode: told.mode ?? record.starts,
        model: told.model,
        startedAt,
        since: told.since ?? startedAt,
        adopted: record.adopted === true,
        asks: (await ledger.asks.pending(key)).length,
        queued: (await ledger.commands.list({ session: key, state: 'queued' })).length,
        worktree: record.worktree,
        reviews: record.reviews,
        restoring: true,
      }
    }),
  )
  const others = (await ledger.nodes.list()).filter(
    ({ id }) => ledger.node !== undefined && id !== ledger.node,
  )
  return [
    ...own,
    ...others.flatMap(({ id, name, live, silentMs: silence }) =>
      live.map((info) => ({
        ...info,
        node: { id, name, ...(silence > silentMs ? { silent: true as const } : {}) },
      })),
    ),
  ]
}

type StoredDevice = Omit<Device, 'person'> & { readonly person?: string }

/** Paired devices, last seen first. */
export async function listStoredDevices(ledger: Ledger): Promise<Device[]> {
  const { getLocalPerson } = await import('@remora/server/client')
  const local = getLocalPerson()
  const marks = await ledger.marks('server/devices/')
  return ([...marks.values()] as StoredDevice[])
    .map(({ id, name, person = local, pairedAt, seenAt }) => ({ id, name, person, pairedAt, seenAt }))
    .sort((left, right) => right.seenAt - left.seenAt)
}

/** People and their devices: the local user first, then by role and name. */
export async function listStoredPeople(ledger: Ledger): Promise<StoredPerson[]> {
  const { getLocalPerson } = await import('@remora/server/client')
  const local: StoredPerson = { name: getLocalPerson(), role: 'owner', local: true, devices: [] }
  const devices = await listStoredDevices(ledger)
  const marks = await ledger.marks('server/people/')
  const stored = [...marks.values()] as Pick<Person, 'name' | 'role' | 'addedAt'>[]
  const others = stored.filter(({ name }) => !isSameName(name, local.name))
  const own = stored.find(({ name }) => isSameName(name, local.name))
  const roles = ['owner', 'member', 'viewer']
  others.sort((a, b) => roles.indexOf(a.role) - roles.indexOf(b.role) || a.name.localeCompare(b.name))
  return [{ ...local, ...own, role: 'owner' as const }, ...others].map((person) => {
    const theirs = devices.filter((device) => isSameName(device.person, person.name))
    return { ...person, seenAt: theirs[0]?.seenAt, devices: theirs }
  })
}

/** The local user has no record, and so no `addedAt`, before the first start of the server. */
type StoredPerson = Omit<Person, 'addedAt'> & Partial<Pick<Person, 'addedAt'>>

function isSameName(left: string, right: string): boolean {
  const fold = (name: string): string => name.normalize('NFKC').replaceAll(/\s+/g, ' ').trim().toLowerCase()
  return fold(left) === fold(right)
}

function isRecord(value: unknown): value is LiveRecord {
  const { id, agent, session } = (value ?? {}) as Record<string, unknown>
  return typeof id === 'string' && typeof agent === 'string' && typeof session === 'string'
}

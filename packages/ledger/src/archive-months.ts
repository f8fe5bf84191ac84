import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { RemoraError, canonical } from '@remora/protocol/plain'
import type { Archive, Ledger, MonthEntry, MonthStore, StoredEvent } from './model/ledger.ts'
import { readPages, toRecords } from './move.ts'
import { openLedger } from './open-ledger.ts'
import { type SessionDigest, readAllEvents, digestSessions, describeDifference } from './digest-sessions.ts'

/** Options of `archiveMonths`. */
export interface ArchiveOptions {
  /** The folder for the files, one per month. */
  readonly folder: string
  /** Archives only months that ended at least this long ago, by the ledger's own clock. */
  readonly keepMs: number
  /** The display name of this machine, so that other machines know where the files are. */
  readonly machine: string
  readonly signal?: AbortSignal
  readonly onProgress?: (progress: ArchiveProgress) => void
}

/** How far `archiveMonths` is. */
export interface ArchiveProgress {
  readonly month: string
  readonly step: 'copying' | 'comparing' | 'dropping'
  /** Events of this month copied so far, and in total. */
  readonly done: number
  readonly total: number
}

/** The mark in an archive that stores how far it has been copied. */
const reachedMark = 'archive/reached'

/**
 * Moves every month that ended long enough ago out of a ledger: copies it into a ledger file, compares the two by count
 * and digest, and only then drops it. It may be interrupted at any time and run again. One process at a time should do
 * it (see archiveAlone in intake); if two do, one of them drops the month, and its file is complete.
 *
 * @example await archiveMonths(ledger, { folder: '/archive', keepMs: 90 * 86_400_000, machine: 'desk' })
 */
export async function archiveMonths(ledger: Ledger, options: ArchiveOptions): Promise<Archive[]> {
  const months = getMonths(ledger)
  const due = await months.list(options.keepMs)
  if (due.length === 0) return []
  // Calls are derived from events on demand, so they must be derived before the events are dropped.
  await ledger.calls({ limit: 1 })
  const archives: Archive[] = []
  for (const entry of due) archives.push(await archiveMonth(ledger, months, entry, options))
  return archives
}

/** The months of a ledger, or `unsupported` with an alternative. @example await getMonths(ledger).list() */
export function getMonths(ledger: Ledger): MonthStore {
  if (ledger.months) return ledger.months
  throw new RemoraError(
    'unsupported',
    'A SQLite ledger is not stored by month, so months cannot be archived',
    {
      hint: 'Copy all of it: remora data backup <file>. Shrink it: remora data prune --before 90d',
    },
  )
}

async function archiveMonth(
  ledger: Ledger,
  months: MonthStore,
  entry: MonthEntry,
  options: ArchiveOptions,
): Promise<Archive> {
  const { month, events: total } = entry
  const { machine, folder, signal, onProgress } = options
  const file = await chooseFile(months, month, folder)
  const work: Work = { ledger, months, month, total, file, signal, onProgress }
  const compareAndNote = async (): Promise<Archive> => {
    const digests = await compareMonth(work)
    return months.note(
      { month, file, machine, digest: digestMonth(digests) },
      digests.map(({ agent, session, count }) => ({ agent, session, events: count })),
    )
  }
  await copyMonth(work)
  let archive = await compareAndNote()
  signal?.throwIfAborted()
  await months.detach(month)
  // After detaching, no process can store into the month. This copies appends that were still running and removes
  // sessions forgotten meanwhile.
  if ((await copyMonth(work)) > 0) archive = await compareAndNote()
  signal?.throwIfAborted()
  onProgress?.({ month, step: 'dropping', done: total, total })
  await months.drop(archive)
  return { ...archive, dropped: true }
}

/** A month that was archived before gets a second file, because the first one is complete. */
async function chooseFile(months: MonthStore, month: string, folder: string): Promise<string> {
  const before = (await months.archives()).filter((each) => each.month === month && each.dropped).length
  return join(resolve(folder), `remora-${month}${before === 0 ? '' : `-${before + 1}`}.db`)
}

interface Work extends Pick<ArchiveOptions, 'signal' | 'onProgress'> {
  readonly ledger: Ledger
  readonly months: MonthStore
  readonly month: string
  readonly total: number
  readonly file: string
}

/** Copies what the file is missing, flushes it, and returns how many events that was. */
async function copyMonth(work: Work): Promise<number> {
  const { ledger, months, month, total, file, signal, onProgress } = work
  const archive = await openArchive(work)
  let added = 0
  try {
    for await (const rows of readPages(ledger, 'forgotten')) await archive.moving.write('forgotten', rows)
    const reached = (await archive.marks(reachedMark)).get(reachedMark)
    let { events: done } = await archive.size()
    for await (const { events, after } of readMonthPages(months, month, Number(reached ?? 0))) {
      signal?.throwIfAborted()
      added += (await archive.append(toRecords(events), { marks: { [reachedMark]: after } })).added
      done += events.length
      onProgress?.({ month, step: 'copying', done, total: Math.max(done, total) })
    }
    // Names, pins and machines. Sessions that are not in the archive are skipped.
    for await (const rows of readPages(ledger, 'sessions')) await archive.moving.write('sessions', rows)
    await archive.indexText(signal ? { signal } : {})
  } finally {
    await archive.close()
  }
  await syncToDisk(file)
  return added
}

/**
 * Returns the digests of the month if the archive matches. The archive may still hold sessions that were pruned
 * meanwhile.
 */
async function compareMonth(work: Work): Promise<SessionDigest[]> {
  const { months, month, total, signal, onProgress } = work
  onProgress?.({ month, step: 'comparing', done: total, total })
  const source = await digestSessions(readMonthEvents(months, month, signal))
  const target = await digestArchive(work)
  for (const [id, digest] of source) {
    const why = describeDifference(digest, target.get(id))
    if (why !== undefined)
      throw new RemoraError(
        'conflict',
        `The archive of ${month} differs from the ledger; nothing was dropped (${digest.agent} ${digest.session}: ${why})`,
        { hint: `Move this file away and retry: ${work.file}` },
      )
  }
  return [...source.values()]
}

async function digestArchive(work: Work): Promise<Map<string, SessionDigest>> {
  const archive = await openArchive(work)
  try {
    return await digestSessions(readAllEvents(archive, Infinity, work.signal))
  } finally {
    await archive.close()
  }
}

function openArchive({ ledger, month, file }: Work): Promise<Ledger> {
  return openLedger({ file, archiveOf: { epoch: ledger.epoch, month } })
}

async function* readMonthEvents(
  months: MonthStore,
  month: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<readonly StoredEvent[], void, undefined> {
  for await (const { events } of readMonthPages(months, month, 0)) {
    signal?.throwIfAborted()
    yield events
  }
}

async function* readMonthPages(months: MonthStore, month: string, from: number) {
  for (let place = from; ;) {
    const { events, after } = await months.read(month, place)
    if (after === undefined) return
    yield { events, after }
    place = after
  }
}

/** One digest for the month, independent of the order of its sessions. */
function digestMonth(digests: readonly SessionDigest[]): string {
  const lines = digests.map(({ agent, session, count, digest }) => canonical([agent, session, count, digest]))
  const hash = createHash('sha256')
  for (const line of lines.sort()) hash.update(`${line}\n`)
  return hash.digest('hex')
}

/** The archive becomes the only copy, so it must survive a power failure. */
async function syncToDisk(file: string): Promise<void> {
  for (const path of [file, dirname(file)]) {
    const handle = await open(path)
    try {
      await handle.sync()
    } catch (error) {
      // Some systems cannot sync a folder.
      if (path === file) throw error
    } finally {
      await handle.close()
    }
  }
}

import { type LeaseHolder, type Ledger } from '@remora/ledger'
import { type SpoolEntry, lookIntoSpool, makeSpool, refusedPayloads } from '@remora/sdk/hooks'
import { setImmediate as breathe } from 'node:timers/promises'
import { DrainState } from './drain-state.ts'
import { type KeptLease, awaitLease, keepLease } from './lease.ts'
import { ownLease } from './machine.ts'
import { putAside, removeEntry, removeLeftovers } from './spool-files.ts'

export interface DrainOptions {
  readonly remoraHome: string
  readonly signal?: AbortSignal
  /** Whether to wait for another process that drains the spool now, instead of leaving it to that one. */
  readonly wait?: boolean
  readonly onProgress?: (progress: { readonly entries: number; readonly total: number }) => void
}

export interface DrainReport {
  /** How many payloads were read, and how many new events they gave. */
  readonly entries: number
  readonly events: number
  /** Payloads that could not be read, where they are kept now. */
  readonly damaged: readonly string[]
  /** Entries that could not even be opened or moved, as those of another user: they are still there. */
  readonly unreadable: readonly string[]
  /** Payloads that hooks had to refuse since the last time, because there was no more room. */
  readonly refused: number
  /** Payloads that were never completed, and are gone. */
  readonly abandoned: number
  /** Who drains the spool now, if that was left to him. */
  readonly heldBy?: LeaseHolder
}

/** As much as is stored in one transaction, by number and by size. */
const most = 200
const mostBytes = 4 * 1024 * 1024

/**
 * Brings what hooks were told into the ledger, each payload exactly once, and takes it out of the spool.
 *
 * @example await drainSpool(ledger, { remoraHome: '/home/me/.remora' })
 */
export async function drainSpool(ledger: Ledger, options: DrainOptions): Promise<DrainReport> {
  const kept = options.wait
    ? await awaitLease(ledger, ownLease(ledger, 'spool'), 'remora', options.signal)
    : await keepLease(ledger, ownLease(ledger, 'spool'), 'remora')
  if ('heldBy' in kept) return { ...nothing, heldBy: kept.heldBy }
  try {
    return await drainWith(ledger, kept, options)
  } finally {
    await kept.release()
  }
}

const nothing = { entries: 0, events: 0, damaged: [], unreadable: [], refused: 0, abandoned: 0 }

async function drainWith(ledger: Ledger, kept: KeptLease, options: DrainOptions): Promise<DrainReport> {
  const { remoraHome } = options
  const report = { ...nothing, damaged: [] as string[], unreadable: [] as string[] }
  /** Entries that stay, so that they are not tried again and again. */
  const left = new Set<string>()
  makeSpool(remoraHome)
  const state = await DrainState.load(ledger)
  for (let look = lookIntoSpool(remoraHome); ; look = lookIntoSpool(remoraHome)) {
    // Stored by one who could not take them away any more, or only their marks.
    for (const entry of [...look.entries, ...look.unfinished]) if (state.isDrained(entry)) removeEntry(entry)
    const entries = look.entries.filter((entry) => !state.isDrained(entry) && !left.has(entry.id))
    if (entries.length === 0) {
      report.abandoned += removeLeftovers(look.unfinished.filter((each) => !state.isDrained(each)))
      break
    }
    const total = report.entries + entries.length
    for (const batch of batchesOf(entries)) {
      options.signal?.throwIfAborted()
      kept.lost.throwIfAborted()
      const { records, damaged, unreadable } = state.read(batch)
      for (const entry of unreadable) left.add(entry.id)
      for (const entry of damaged) {
        const place = putAside(remoraHome, entry)
        if (place === undefined) left.add(entry.id)
        else report.damaged.push(place)
      }
      const done = batch.filter(({ id }) => !left.has(id))
      const { added } = await ledger.append(records, { marks: state.marks(done), lease: kept.lease })
      for (const entry of done) removeEntry(entry)
      for (const { file, id } of batch) if (left.has(id)) report.unreadable.push(file)
      report.entries += records.length
      report.events += added
      options.onProgress?.({ entries: report.entries, total })
      await breathe()
    }
  }
  report.refused = await state.refused(ledger, refusedPayloads(remoraHome), kept.lease)
  return report
}

function* batchesOf(entries: readonly SpoolEntry[]): Iterable<readonly SpoolEntry[]> {
  let batch: SpoolEntry[] = []
  let size = 0
  for (const entry of entries) {
    if (batch.length === most || (batch.length > 0 && size + entry.size > mostBytes)) {
      yield batch
      batch = []
      size = 0
    }
    batch.push(entry)
    size += entry.size
  }
  if (batch.length > 0) yield batch
}

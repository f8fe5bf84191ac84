import { mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { type LeaseHolder, type Ledger } from '@remora/ledger'
import {
  type SpoolEntry,
  type SpoolBatch,
  scanSpool,
  createSpool,
  refusedPayloads,
  spoolFolder,
} from '@remora/sdk/hooks'
import { setImmediate as yieldTurn } from 'node:timers/promises'
import { DrainState } from './drain-state.ts'
import { type KeptLease, awaitLease, keepLease, ownLease } from './lease.ts'

/** Options of `drainSpool`. */
export interface DrainOptions {
  readonly remoraHome: string
  readonly signal?: AbortSignal
  /** Whether to wait for another process that drains the spool now, instead of returning at once. */
  readonly wait?: boolean
  readonly onProgress?: (progress: { readonly entries: number; readonly total: number }) => void
}

/** What `drainSpool` has read. */
export interface DrainReport {
  /** The number of payloads read, and of new events in them. */
  readonly entries: number
  readonly events: number
  /** The new paths of payloads that could not be parsed. */
  readonly damaged: readonly string[]
  /** Entries that could not be opened or moved, such as those of another user. They stay in the spool. */
  readonly unreadable: readonly string[]
  /** Payloads that hooks dropped since the last time, because the spool was full. */
  readonly refused: number
  /** Incomplete payloads that were removed. */
  readonly abandoned: number
  /** The process that drains the spool now. */
  readonly heldBy?: LeaseHolder
}

/** The limits of one transaction, by number and by size. */
const most = 200
const mostBytes = 4 * 1024 * 1024

/**
 * Moves hook payloads from the spool into the ledger, each exactly once.
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
  /** Entries that stay in the spool, so that they are not retried endlessly. */
  const left = new Set<string>()
  createSpool(remoraHome)
  const state = await DrainState.load(ledger)
  for (let look = scanSpool(remoraHome); ; look = scanSpool(remoraHome)) {
    // A process that stored these entries was killed before it removed them.
    for (const entry of [...look.entries, ...look.unfinished]) if (state.isDrained(entry)) removeEntry(entry)
    const entries = look.entries.filter((entry) => !state.isDrained(entry) && !left.has(entry.id))
    if (entries.length === 0) {
      report.abandoned += removeLeftovers(look.unfinished.filter((each) => !state.isDrained(each)))
      break
    }
    const total = report.entries + entries.length
    for (const batch of splitIntoBatches(entries)) {
      options.signal?.throwIfAborted()
      kept.lost.throwIfAborted()
      const { records, damaged, unreadable } = state.read(batch)
      for (const entry of unreadable) left.add(entry.id)
      for (const entry of damaged) {
        const path = putAside(remoraHome, entry)
        if (path === undefined) left.add(entry.id)
        else report.damaged.push(path)
      }
      const done = batch.filter(({ id }) => !left.has(id))
      const { added } = await ledger.append(records, { marks: state.marks(done), lease: kept.lease })
      for (const entry of done) removeEntry(entry)
      for (const { file, id } of batch) if (left.has(id)) report.unreadable.push(file)
      report.entries += records.length
      report.events += added
      options.onProgress?.({ entries: report.entries, total })
      await yieldTurn()
    }
  }
  report.refused = await state.refused(ledger, refusedPayloads(remoraHome), kept.lease)
  return report
}

function* splitIntoBatches(entries: readonly SpoolEntry[]): Iterable<readonly SpoolEntry[]> {
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

/** A hook that has not completed its payload after this time was killed. */
const abandonedMs = 60 * 60 * 1000
/** The number of damaged payloads that are kept for diagnosis. */
const mostDamaged = 100

/** Removes an entry. Without its marker it is ignored, so the marker is removed first. */
function removeEntry({ file }: Pick<SpoolEntry, 'file'>): void {
  rmSync(`${file}.ready`, { force: true })
  rmSync(file, { force: true })
}

/** Moves a damaged payload out of the way. Returns its new path, or undefined if it cannot be moved. */
function putAside(remoraHome: string, { file, id }: SpoolEntry): string | undefined {
  const folder = join(spoolFolder(remoraHome), 'bad')
  const path = join(folder, basename(id))
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    renameSync(file, path)
  } catch {
    return undefined
  }
  const names = readdirSync(folder)
  const getTime = (name: string): number => Number(name.slice(name.lastIndexOf('.') + 1))
  names.sort((a, b) => getTime(a) - getTime(b))
  for (const name of names.slice(0, -mostDamaged)) rmSync(join(folder, name), { force: true })
  return path
}

/** Removes payloads that hooks never completed. Returns how many of them were not empty. */
function removeLeftovers(unfinished: SpoolBatch['unfinished']): number {
  const old = unfinished.filter(({ at }) => at < Date.now() - abandonedMs)
  for (const { file } of old) rmSync(file, { force: true })
  return old.filter(({ size }) => size > 0).length
}

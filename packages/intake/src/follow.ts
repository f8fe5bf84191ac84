import { setMaxListeners } from 'node:events'
import { existsSync } from 'node:fs'
import { createSpool, spoolFolder, watchFolders } from '@remora/sdk/hooks'
import { RemoraError } from '@remora/protocol/plain'
import type { Lease, LeaseHolder, Ledger } from '@remora/ledger'
import { agentsWithTranscripts, toPlace, watchTranscripts } from '@remora/sdk/transcripts'
import { type DrainReport, drainSpool } from './drain.ts'
import { type ImportOptions, type ImportReport, importTranscripts } from './import.ts'
import { importFile } from './import-file.ts'
import { keepLease, ownLease } from './lease.ts'
import { loadMark } from './marks.ts'
import { Pending } from './pending.ts'
import { listDatabaseSessions, markGone } from './archive.ts'

/** Options of `follow`. */
export interface FollowOptions extends ImportOptions {
  readonly signal: AbortSignal
  /** The folder of the hooks' spool; without it only transcripts are followed. */
  readonly remoraHome?: string
  /** Called when all existing transcripts are in the ledger. */
  readonly onReady?: (report: ImportReport) => void
  readonly onFile?: (file: { readonly path: string; readonly events: number }) => void
  /** Called when hook payloads were stored. */
  readonly onSpool?: (report: DrainReport) => void
}

/**
 * Imports, and then keeps the ledger current until the signal. Only one process per machine does this at a time.
 *
 * @example await follow(ledger, { signal })
 */
export async function follow(ledger: Ledger, options: FollowOptions): Promise<void> {
  const kept = await keepLease(ledger, ownLease(ledger, 'follow'), 'remora follow')
  if ('heldBy' in kept) throw createFollowError(kept.heldBy)
  // Stops the watchers however this function ends.
  const over = new AbortController()
  try {
    const signal = AbortSignal.any([options.signal, kept.lost, over.signal])
    // Every folder that is watched has a listener, so that Node would warn of a leak.
    setMaxListeners(0, signal)
    await followWith(ledger, kept.lease, { ...options, signal })
  } catch (error) {
    if (!options.signal.aborted) throw error
  } finally {
    over.abort()
    await kept.release()
  }
  if (kept.lost.aborted && !options.signal.aborted) throw kept.lost.reason as Error
}

/** Another process has taken the lease over, as happens after a machine slept. */
function ignoreLostLease(error: unknown): undefined {
  if (!RemoraError.is(error) || error.code !== 'conflict') throw error
}

function createFollowError({ what, pid, host }: LeaseHolder): RemoraError {
  return new RemoraError(
    'conflict',
    `The ledger is followed already, by ${what} (process ${pid} on ${host})`,
    {
      hint: 'Nothing needs to be done: that process keeps the ledger current.',
    },
  )
}

async function followWith(ledger: Ledger, lease: Lease, options: FollowOptions): Promise<void> {
  const { signal } = options
  const place = toPlace(options)
  const followed = options.agents ?? agentsWithTranscripts()
  const changed = new Map<string, (typeof followed)[number]>()
  const databaseSessions = new Map<string, string>()
  let wake = (): void => {}
  signal.addEventListener('abort', () => wake(), { once: true })
  for (const agent of followed) {
    const onChange = (path: string): void => {
      changed.set(path, agent)
      wake()
    }
    await watchTranscripts(agent, place, onChange, signal)
  }
  const spool = await followSpool(options.remoraHome, () => wake(), signal)
  const report = await importTranscripts(ledger, { ...options, lease })
  await drain()
  options.onReady?.(report)
  while (!signal.aborted) {
    await importChanged()
    await drain()
    // Text is indexed for search when there is nothing else to do.
    await indexUntilChange()
    if (changed.size > 0 || spool.waiting || signal.aborted) continue
    await new Promise<void>((resolve) => (wake = resolve))
  }

  async function drain(): Promise<void> {
    if (options.remoraHome === undefined || !spool.waiting) return
    spool.waiting = false
    const drained = await drainSpool(ledger, { remoraHome: options.remoraHome, signal }).catch(
      ignoreLostLease,
    )
    // Another process drains the spool, and may have listed it before the last payload.
    if (!drained || drained.heldBy) spool.retry()
    else if (drained.entries > 0 || drained.damaged.length > 0) options.onSpool?.(drained)
  }

  async function importChanged(): Promise<void> {
    if (changed.size === 0) return
    const files = [...changed]
    changed.clear()
    let mayArchive = false
    for (const [path, agent] of files) {
      const pending = new Pending(ledger, lease)
      const mark = await loadMark(ledger, path)
      const { found } = await importFile(pending, agent, path, { mark, signal })
      await pending.flush()
      // A removed, new or restored file may change which sessions are archived.
      mayArchive ||=
        !found || mark === undefined || mark.gone !== undefined || (await hasOtherSessions(agent, path))
      if (pending.added > 0) options.onFile?.({ path, events: pending.added })
    }
    if (mayArchive) await markGone(ledger, followed, place, { lease })
  }

  /** Whether sessions were added to a database or deleted from it. */
  async function hasOtherSessions(agent: (typeof followed)[number], path: string): Promise<boolean> {
    const sessions = await listDatabaseSessions(agent, path)
    if (!sessions) return false
    const now = sessions.toSorted().join()
    const before = databaseSessions.get(path)
    databaseSessions.set(path, now)
    return now !== before
  }

  async function indexUntilChange(): Promise<void> {
    const interrupt = new AbortController()
    wake = () => interrupt.abort()
    await ledger
      .indexText({ signal: AbortSignal.any([signal, interrupt.signal]) })
      .catch((error: unknown) => {
        if (!interrupt.signal.aborted) throw error
      })
  }
}

const retryMs = 250

/** Whether the spool has entries to read. */
interface FollowedSpool {
  waiting: boolean
  /** Reads the spool again after a short delay. */
  retry(): void
}

/** Watches the spool until the signal, and calls `onEntry` for new entries. The first read does not wait for one. */
async function followSpool(
  remoraHome: string | undefined,
  onEntry: () => void,
  signal: AbortSignal,
): Promise<FollowedSpool> {
  const come = (): void => {
    spool.waiting = true
    onEntry()
  }
  const spool: FollowedSpool = {
    waiting: remoraHome !== undefined,
    retry() {
      const timer = setTimeout(come, retryMs)
      signal.addEventListener('abort', () => clearTimeout(timer), { once: true })
    },
  }
  if (remoraHome === undefined) return spool
  createSpool(remoraHome)
  const onChange = (path: string): void => {
    // Removed files are reported as well.
    if (path.endsWith('.ready') && existsSync(path)) come()
  }
  await watchFolders(spoolFolder(remoraHome), onChange, signal)
  return spool
}

import { hostname } from 'node:os'
import { RemoraError } from '@remora/protocol/plain'
import type { Lease, LeaseHolder, Ledger } from '@remora/ledger'
import { agentsWithTranscripts, isRunning, placeOf, watchTranscripts } from '@remora/sdk/transcripts'
import { type ImportOptions, type ImportReport, importTranscripts } from './import.ts'
import { importFile } from './import-file.ts'
import { loadMarks } from './marks.ts'
import { Pending } from './pending.ts'
import { markGone } from './archive.ts'

export interface FollowOptions extends ImportOptions {
  readonly signal: AbortSignal
  /** Told when everything that was there is in the ledger. */
  readonly onReady?: (report: ImportReport) => void
  readonly onFile?: (file: { readonly path: string; readonly events: number }) => void
}

const leaseMs = 15_000

/**
 * Imports, and then keeps the ledger current until the signal. One process at a time does this for a ledger.
 *
 * @example await follow(ledger, { signal })
 */
export async function follow(ledger: Ledger, options: FollowOptions): Promise<void> {
  const lease = await takeLease(ledger)
  const lost = new AbortController()
  const renewing = setInterval(() => {
    void ledger.leases.renew(lease, leaseMs).then(
      (held) => held || lost.abort(new RemoraError('conflict', 'Another process follows the ledger now')),
      () => {},
    )
  }, leaseMs / 3)
  try {
    await followWith(ledger, lease, { ...options, signal: AbortSignal.any([options.signal, lost.signal]) })
  } catch (error) {
    if (!options.signal.aborted) throw error
  } finally {
    clearInterval(renewing)
    await ledger.leases.release(lease).catch(() => {})
  }
  if (lost.signal.aborted && !options.signal.aborted) throw lost.signal.reason as Error
}

/** The lease of a follower on this machine that was killed is not waited for. */
async function takeLease(ledger: Ledger): Promise<Lease> {
  const holder = { what: 'remora follow', pid: process.pid, host: hostname() }
  let taken = await ledger.leases.take('follow', holder, leaseMs)
  if ('heldBy' in taken && (await isDead(taken.heldBy))) {
    await ledger.leases.release(taken.lease)
    taken = await ledger.leases.take('follow', holder, leaseMs)
  }
  if (!('heldBy' in taken)) return taken
  const { what, pid, host } = taken.heldBy
  throw new RemoraError(
    'conflict',
    `The ledger is followed already, by ${what} (process ${pid} on ${host})`,
    {
      hint: 'Nothing needs to be done: that process keeps the ledger current.',
    },
  )
}

async function isDead({ pid, host }: LeaseHolder): Promise<boolean> {
  return pid !== undefined && host === hostname() && !(await isRunning({ pid }))
}

async function followWith(ledger: Ledger, lease: Lease, options: FollowOptions): Promise<void> {
  const { signal } = options
  const place = placeOf(options)
  const followed = options.agents ?? agentsWithTranscripts()
  const changed = new Map<string, (typeof followed)[number]>()
  let wake = (): void => {}
  signal.addEventListener('abort', () => wake(), { once: true })
  for (const agent of followed) {
    const onChange = (path: string): void => {
      changed.set(path, agent)
      wake()
    }
    await watchTranscripts(agent, place, onChange, signal)
  }
  const report = await importTranscripts(ledger, { ...options, lease })
  options.onReady?.(report)
  while (!signal.aborted) {
    await importChanged()
    // Words become searchable when nothing else is to be done.
    await indexUntilChange()
    if (changed.size > 0 || signal.aborted) continue
    await new Promise<void>((resolve) => (wake = resolve))
  }

  async function importChanged(): Promise<void> {
    if (changed.size === 0) return
    const marks = await loadMarks(ledger)
    const files = [...changed]
    changed.clear()
    let look = false
    for (const [path, agent] of files) {
      const pending = new Pending(ledger, lease)
      const mark = marks.get(path)
      const { found } = await importFile(pending, agent, path, { mark, signal })
      await pending.flush()
      // A file that is gone, new or back may change which sessions are archived.
      look ||= !found || mark === undefined || mark.gone !== undefined
      if (pending.added > 0) options.onFile?.({ path, events: pending.added })
    }
    if (look) await markGone(ledger, followed, place, { lease })
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

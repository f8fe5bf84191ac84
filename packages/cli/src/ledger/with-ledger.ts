import type { ImportReport } from '@remora/intake'
import type { Ledger } from '@remora/ledger'
import type { Io } from '../command/io.ts'
import { remoraHome } from '../home/remora-home.ts'
import { plural } from '../output/format-number.ts'
import { Progress } from '../output/progress.ts'

export interface LedgerOptions {
  /** Whether what the agents wrote meanwhile is read first; true unless told otherwise. */
  readonly current?: boolean
}

/**
 * Does something with the ledger, after what the agents wrote since the last time was brought into it. That is quick
 * where nothing has changed, and shows its progress where it takes longer.
 *
 * @example return withLedger(io, (ledger) => printSessions(await ledger.sessions()))
 */
export async function withLedger<T>(
  io: Io,
  work: (ledger: Ledger) => Promise<T>,
  { current = true }: LedgerOptions = {},
): Promise<T> {
  const { openHome } = await import('@remora/ledger')
  const ledger = await openHome({ remoraHome: remoraHome(io), env: io.env })
  try {
    if (current) await importChanges(ledger, io)
    return await work(ledger)
  } finally {
    await ledger.close()
  }
}

/** Reads what is new, unless a takeSnapshot at the files' times says that nothing is. To an archive nothing is new. */
export async function importChanges(ledger: Ledger, io: Io): Promise<void> {
  if (ledger.archiveOf) return
  const { isFresh } = await import('./freshness.ts')
  if (await isFresh(ledger, io)) await drainQuietly(ledger, io)
  else await importAll(ledger, io)
}

/** Reads what hooks have told. To takeSnapshot at what there is must not fail for that. */
async function drainQuietly(ledger: Ledger, io: Io): Promise<void> {
  const { hasSpooled } = await import('./freshness.ts')
  if (!hasSpooled(io)) return
  const { drainSpool } = await import('@remora/intake')
  const progress = new Progress(io)
  try {
    const { unreadable } = await drainSpool(ledger, {
      remoraHome: remoraHome(io),
      onProgress: ({ entries, total }) =>
        progress.update('Reading hook payloads', entries / total, `${entries} of ${total}`),
    })
    progress.clear()
    if (unreadable.length > 0)
      io.err(
        `remora: ${plural(unreadable.length, 'hook payload')} could not be read\n  List them: remora hooks ingest --spool\n`,
      )
  } catch (error) {
    progress.clear()
    io.err(`remora: cannot read the hook spool: ${(error as Error).message}\n`)
    io.err('  All other data is shown. Retry: remora hooks ingest --spool\n')
  } finally {
    progress.clear()
  }
}

/** Reads what is new in the files of all agents, or of some, and shows how far it is. */
export async function importAll(
  ledger: Ledger,
  io: Io,
  { agents, signal }: { readonly agents?: readonly string[]; readonly signal?: AbortSignal } = {},
): Promise<ImportReport> {
  const { importTranscripts } = await import('@remora/intake')
  const { takeSnapshot, storeSnapshot } = await import('./scan-transcripts.ts')
  const { pickAgent } = await import('../detection/survey.ts')
  if (!agents) await drainQuietly(ledger, io)
  const progress = new Progress(io)
  // Before anything is read: what changes meanwhile is then seen to have changed.
  const seen = takeSnapshot(io)
  try {
    const report = await importTranscripts(ledger, {
      env: io.env,
      home: io.home,
      ...(agents ? { agents: agents.map(pickAgent) } : {}),
      ...(signal ? { signal } : {}),
      onProgress: ({ files, totalFiles, bytes, totalBytes }) =>
        progress.update(
          'Reading sessions',
          totalBytes === 0 ? files / totalFiles : bytes / totalBytes,
          `${files} of ${plural(totalFiles, 'file')}`,
        ),
    })
    if (!agents) await storeSnapshot(ledger, seen)
    return report
  } finally {
    progress.clear()
  }
}

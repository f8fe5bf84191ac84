import type { ImportReport } from '@remora/intake'
import type { Ledger } from '@remora/ledger'
import type { Io } from '../command/io.ts'
import { remoraHome } from '../home/remora-home.ts'
import { plural } from '../output/format-number.ts'
import { Progress } from '../output/progress.ts'

export interface LedgerOptions {
  /** Whether to import new data of the agents first (default: true). */
  readonly current?: boolean
}

/**
 * Opens the ledger, imports new data of the agents, and runs `work`. The import is fast if nothing changed, and shows
 * progress.
 *
 * @example return withLedger(io, (ledger) => printSessions(await ledger.sessions()))
 */
export async function withLedger<T>(
  io: Io,
  work: (ledger: Ledger) => Promise<T>,
  { current = true }: LedgerOptions = {},
): Promise<T> {
  const { openHome } = await import('@remora/ledger-postgres')
  const ledger = await openHome({ remoraHome: remoraHome(io), env: io.env })
  try {
    if (current) await importChanges(ledger, io)
    return await work(ledger)
  } finally {
    await ledger.close()
  }
}

/** Imports new data, unless the snapshot is unchanged. An archive never changes. */
export async function importChanges(ledger: Ledger, io: Io): Promise<void> {
  if (ledger.archiveOf) return
  const { isFresh } = await import('./freshness.ts')
  if (await isFresh(ledger, io)) await drainQuietly(ledger, io)
  else await importAll(ledger, io)
}

/** Imports the hook spool. A failure must not stop read verbs, so it is only reported. */
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

/** Imports the transcripts of all agents, or of some, with progress. */
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
  // Taken before the import, so that changes during the import count as new.
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

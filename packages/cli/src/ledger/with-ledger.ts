import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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

/**
 * The same for verbs that only read. In a home without a ledger, agents and hook payloads they work on an empty
 * temporary ledger, so that they do not create REMORA_HOME.
 *
 * @example return readLedger(io, (ledger) => printSessions(await ledger.sessions()))
 */
export async function readLedger<T>(
  io: Io,
  work: (ledger: Ledger) => Promise<T>,
  options: LedgerOptions = {},
): Promise<T> {
  if (!(await isEmptyHome(io))) return withLedger(io, work, options)
  const { openLedger } = await import('@remora/ledger')
  const folder = await mkdtemp(join(tmpdir(), 'remora-'))
  try {
    const ledger = await openLedger({ file: join(folder, 'ledger.db') })
    try {
      return await work(ledger)
    } finally {
      await ledger.close()
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function isEmptyHome(io: Io): Promise<boolean> {
  if (existsSync(remoraHome(io))) return false
  const { readHomeDatabase } = await import('@remora/ledger')
  if ((await readHomeDatabase({ remoraHome: remoraHome(io), env: io.env })) !== undefined) return false
  const { takeSnapshot } = await import('./scan-transcripts.ts')
  try {
    const snapshot = takeSnapshot(io)
    return snapshot !== undefined && Object.values(snapshot.paths).every((stamp) => stamp === '')
  } catch {
    // Opening the ledger reports a home without permission.
    return false
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

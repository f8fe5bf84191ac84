import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Ledger } from '@remora/ledger'
import type { Io } from '../command/io.ts'
import { ledgerPath, remoraHome } from '../home/remora-home.ts'
import { sharedDatabase } from './ledger-location.ts'
import { type LedgerOptions, withLedger } from './with-ledger.ts'

/**
 * Runs `work` with the ledger for verbs that only read. If there is no ledger and nothing to import, `work` gets an
 * empty temporary ledger, so that reading does not create REMORA_HOME.
 *
 * @example return readLedger(io, (ledger) => printSessions(await ledger.sessions()))
 */
export async function readLedger<T>(
  io: Io,
  work: (ledger: Ledger) => Promise<T>,
  options: LedgerOptions = {},
): Promise<T> {
  if (!(await isEmptyHome(io, options))) return withLedger(io, work, options)
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

async function isEmptyHome(io: Io, { current = true }: LedgerOptions): Promise<boolean> {
  if (existsSync(ledgerPath(io)) || (await sharedDatabase(io)) !== undefined) return false
  if (!current) return true
  if (existsSync(remoraHome(io))) return false
  const { takeSnapshot } = await import('./scan-transcripts.ts')
  try {
    const snapshot = takeSnapshot(io)
    return snapshot !== undefined && Object.values(snapshot.paths).every((stamp) => stamp === '')
  } catch {
    // Opening the ledger reports a home without permission.
    return false
  }
}

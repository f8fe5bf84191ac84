import { rm } from 'node:fs/promises'
import { resolve } from 'node:path'
import { RemoraError } from '@remora/protocol/plain'
import { claimFile } from '@remora/ledger/internal'
import { openPostgres } from './open-postgres.ts'
import { type Ledger, endMove, moveLedger, openLedger } from '@remora/ledger'

/**
 * Copies everything into a new ledger: a file, or an empty database by its URL. It copies page by page, so other
 * processes can write meanwhile and memory use stays low.
 */
export async function copyLedger(from: Ledger, target: string): Promise<void> {
  if (/^postgres(?:ql)?:/.test(target)) return fill(from, await openEmpty(target))
  const file = resolve(target)
  await claimFile(file)
  try {
    await fill(from, await openLedger({ file }))
  } catch (error) {
    for (const path of [file, `${file}-wal`, `${file}-shm`]) await rm(path, { force: true })
    throw error
  }
}

async function fill(from: Ledger, copy: Ledger): Promise<void> {
  try {
    await moveLedger(from, copy)
    await copy.indexText()
    await endMove(from, copy)
  } finally {
    await copy.close()
  }
}

async function openEmpty(url: string): Promise<Ledger> {
  const ledger = await openPostgres({ url })
  const { seq } = await ledger.head()
  if (seq === 0) return ledger
  await ledger.close()
  throw new RemoraError('conflict', 'That database already has a ledger', {
    hint: 'Choose another database, or move into it instead.',
  })
}

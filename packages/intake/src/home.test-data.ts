import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Ledger, openLedger } from '@remora/ledger'
import { afterEach, beforeEach } from 'vitest'

/** The home of the current test. */
export let home = ''

/** The ledger of the current test. */
export let ledger: Ledger

/** Opens the same ledger again, like another process. */
export function openAgain(): Promise<Ledger> {
  return openLedger({ file: join(home, 'ledger', 'ledger.db') })
}

/** Creates a new home and ledger for every test of a file. */
export function useHome(): void {
  beforeEach(async () => {
    home = realpathSync(mkdtempSync(join(tmpdir(), 'remora-intake-')))
    ledger = await openAgain()
  })
  afterEach(async () => {
    await ledger.close()
    rmSync(home, { recursive: true, force: true })
  })
}

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Ledger, openLedger } from '@remora/ledger'

export type { Ledger }

/** A new ledger, which goes when it is not needed any more. */
export async function openTestLedger(): Promise<{ readonly ledger: Ledger } & AsyncDisposable> {
  const home = mkdtempSync(join(tmpdir(), 'remora-ledger-'))
  const ledger = await openLedger({ file: join(home, 'ledger.db') })
  return {
    ledger,
    async [Symbol.asyncDispose]() {
      await ledger.close()
      rmSync(home, { recursive: true, force: true })
    },
  }
}

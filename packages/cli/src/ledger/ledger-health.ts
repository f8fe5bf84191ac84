import { existsSync } from 'node:fs'
import type { Colors } from '../output/colors.ts'
import type { Io } from '../command/io.ts'
import { ledgerPlace, sharedDatabase } from './ledger-location.ts'
import { ledgerPath } from '../home/remora-home.ts'
import { byteSize, plural } from '../output/format-number.ts'
import { withLedger } from './with-ledger.ts'

/** Where the ledger is and whether it can be opened, in a line or two. It is not made for this. */
export async function ledgerHealth(paint: Colors, io: Io): Promise<string[]> {
  try {
    if ((await sharedDatabase(io)) === undefined && !existsSync(ledgerPath(io)))
      return [paint.dim('- No ledger yet. Create it: remora import')]
    const path = paint.dim(await ledgerPlace(io))
    const { bytes, sessions } = await withLedger(io, (ledger) => ledger.size(), { current: false })
    return [
      `${paint.green('✓')} ${paint.bold('Ledger')} ${byteSize(bytes)}, ${plural(sessions, 'session')}  ${path}`,
    ]
  } catch (error) {
    const { message, hint } = error as { message: string; hint?: string }
    return [
      `${paint.yellow('!')} ${paint.bold('Ledger')}`,
      `    ${paint.yellow(message)}`,
      ...(hint ? [`    → ${hint}`] : []),
    ]
  }
}

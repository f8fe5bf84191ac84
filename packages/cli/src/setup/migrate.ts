import { UsageError } from '../command/errors.ts'
import type { Verb } from '../command/verb.ts'

export const migrate: Verb = {
  name: 'migrate',
  description:
    'Move the ledger to a shared PostgreSQL database, or back. You can interrupt it and run it again. The setting changes only after both ledgers compare equal',
  options: {
    to: { value: 'place', description: 'Target: postgres://…, or sqlite for a file on this machine' },
    'copy-only': { description: 'Copy only; keep using the old ledger' },
    json: { description: 'Print a JSON object' },
  },
  examples: [
    'remora data migrate --to postgres://remora:secret@db.example/remora',
    'remora data migrate --to sqlite',
    'remora data migrate --to postgres://db.example/remora --copy-only',
  ],
  async run(input, io) {
    const { to } = input.values
    if (typeof to !== 'string')
      throw new UsageError(
        'remora data migrate needs --to',
        'Pass --to postgres://user:password@host/database, or --to sqlite',
      )
    const { migrateLedger } = await import('./migrate-ledger.ts')
    return migrateLedger(to, input, io)
  },
}

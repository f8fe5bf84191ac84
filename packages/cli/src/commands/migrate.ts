import { UsageError } from '../usage-error.ts'
import type { Verb } from '../verb.ts'

export const migrate: Verb = {
  name: 'migrate',
  description:
    'Move the ledger into a database that several machines share, or back into a file of this one. It can be stopped and run again: it goes on where it was. Everything is compared in the end; only then is the setting changed',
  options: {
    to: { value: 'place', description: 'Where to: postgres://…, or sqlite for the file of this machine' },
    'copy-only': { description: 'Leave the setting as it is, so that the old ledger stays in use' },
    json: { description: 'Print a JSON object' },
  },
  examples: [
    'remora migrate --to postgres://remora:secret@db.example/remora',
    'remora migrate --to sqlite',
    'remora migrate --to postgres://db.example/remora --copy-only',
  ],
  async run(input, io) {
    const { to } = input.values
    if (typeof to !== 'string')
      throw new UsageError(
        'remora migrate needs --to',
        'Say where to: --to postgres://user:password@host/database, or --to sqlite',
      )
    const { migrateLedger } = await import('../sessions/migrate.ts')
    return migrateLedger(to, input, io)
  },
}

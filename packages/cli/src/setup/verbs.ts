// Command lines of the group Setup. The implementation of a verb is in another file, loaded when it runs, so that help stays fast.
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

export const uninstall: Verb = {
  name: 'uninstall',
  description: 'Restore the settings of all agents and list remaining files',
  options: {
    yes: { short: 'y', description: 'Do not ask for confirmation' },
    json: {
      description: 'Print a JSON object. Without --yes, print the plan, change nothing, exit with 1',
    },
  },
  examples: ['remora uninstall', 'remora uninstall --yes', 'remora uninstall --yes --json'],
  async run(input, io) {
    const { uninstallAll } = await import('./uninstall-all.ts')
    return uninstallAll(input, io)
  },
}

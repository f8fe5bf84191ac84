import { existsSync } from 'node:fs'
import type { Ledger } from '@remora/ledger'
import { archivedEvents } from '../ledger/archived-events.ts'
import { canAsk, saysYes } from '../command/confirm.ts'
import { fail, UsageError } from '../command/errors.ts'
import { homePath } from '../output/home-path.ts'
import type { Io } from '../command/io.ts'
import { ledgerPlace, sharedDatabase } from '../ledger/ledger-location.ts'
import { ledgerPath } from '../home/remora-home.ts'
import { byteSize, plural } from '../output/format-number.ts'
import { dateOf } from '../output/format-time.ts'
import { timeOption } from '../args/time-option.ts'
import { userPath } from '../home/user-path.ts'
import type { Input } from '../command/verb.ts'
import { withLedger } from '../ledger/with-ledger.ts'

/** What can be done with the ledger as a whole. */
export async function dataAction(action: string, input: Input, io: Io): Promise<number> {
  const tell = (json: object, text: string): number => {
    io.out(input.values['json'] ? `${JSON.stringify(json, null, 2)}\n` : `${text}\n`)
    return 0
  }
  if (action === 'path') {
    const database = await sharedDatabase(io)
    const path = ledgerPath(io)
    return database === undefined ? tell({ path }, path) : tell({ database }, database)
  }
  // What few ever need is loaded by those.
  const { archive, archives } = action.startsWith('archive') ? await import('./archive.ts') : {}
  const work = { size, backup, prune, archive, archives }[action]!
  return withLedger(io, (ledger) => work(ledger, input, io, tell), { current: false })
}

export type Tell = (json: object, text: string) => number

async function size(ledger: Ledger, _input: Input, io: Io, tell: Tell): Promise<number> {
  const { bytes, sessions, events } = await ledger.size()
  const database = await sharedDatabase(io)
  const place = database === undefined ? { path: ledgerPath(io) } : { database }
  const archived = await archivedEvents(ledger)
  const more = archived === 0 ? '' : `\n${plural(archived, 'event')} more in archives: remora data archives`
  return tell(
    { ...place, bytes, sessions, events, ...(archived === 0 ? {} : { archived }) },
    `${byteSize(bytes)}, ${plural(sessions, 'session')}, ${plural(events, 'event')} in ${await ledgerPlace(io)}${more}`,
  )
}

async function backup(ledger: Ledger, input: Input, io: Io, tell: Tell): Promise<number> {
  const [, word] = input.positionals
  if (word === undefined)
    throw new UsageError('remora data backup needs <file>', 'For example: remora data backup ~/ledger.db')
  const file = userPath(word, io)
  if (existsSync(file))
    throw await fail('conflict', `${file} already exists`, 'Choose another name, or move the file first')
  await ledger.backup(file)
  return tell({ path: file }, `Backup written to ${homePath(file, io.home)}`)
}

async function prune(ledger: Ledger, input: Input, io: Io, tell: Tell): Promise<number> {
  const { before } = input.values
  if (typeof before !== 'string')
    throw new UsageError(
      'remora data prune needs --before',
      'For example: remora data prune --before 90d --dry-run',
    )
  const time = timeOption('before', before, Date.now())
  const dryRun = input.values['dry-run'] === true
  const planned = await ledger.prune({ before: time, dryRun: true })
  if (!dryRun && planned.sessions > 0 && !input.values['yes'] && !(await agreed(planned.sessions, io))) {
    io.err('Nothing was deleted.\n')
    return 1
  }
  const { sessions, events, bytes } = dryRun ? planned : await ledger.prune({ before: time })
  const what = `${plural(sessions, 'archived session')} from before ${dateOf(time)} (${plural(events, 'event')}, ${byteSize(bytes)})`
  return tell(
    { before: time, dryRun, sessions, events, bytes },
    `${dryRun ? 'Would delete' : 'Deleted'} ${what}. Sessions that still exist in their agent are kept.`,
  )
}

/** What an agent has deleted is nowhere else. */
async function agreed(sessions: number, io: Io): Promise<boolean> {
  if (!canAsk(io))
    throw new UsageError(
      'Not a terminal, so Remora cannot ask for confirmation',
      'Pass --yes to confirm: remora data prune --before <time> --yes',
    )
  io.err(`Delete ${plural(sessions, 'session')}? Their agents deleted them: these are the last copies.\n`)
  io.err('  Type y to delete them: ')
  return saysYes(io)
}

import { existsSync } from 'node:fs'
import type { Ledger } from '@remora/ledger'
import { timeOption } from '../args/time-option.ts'
import { confirm } from '../command/confirm.ts'
import { fail, UsageError } from '../command/errors.ts'
import type { Io } from '../command/io.ts'
import type { Input, Verb } from '../command/verb.ts'
import { ledgerPath, userPath } from '../home/remora-home.ts'
import { countArchivedEvents } from '../ledger/archived-events.ts'
import { ledgerPlace, sharedDatabase } from '../ledger/ledger-location.ts'
import { readLedger } from '../ledger/read-ledger.ts'
import { withLedger } from '../ledger/with-ledger.ts'
import { byteSize, plural } from '../output/format-number.ts'
import { formatDate } from '../output/format-time.ts'
import { homePath } from '../output/home-path.ts'

const actions = ['path', 'size', 'backup', 'prune', 'archive', 'archives']

export const data: Verb = {
  name: 'data',
  description:
    'Show, back up or shrink the ledger. A shared database is stored by month: archive moves past months to files of their own, archives lists them',
  positionals: [
    { name: 'action', required: true, description: actions.join(', ') },
    { name: 'file', description: 'File for the backup; it must not exist' },
  ],
  options: {
    before: {
      value: 'time',
      description: 'prune, archive: only sessions or months that ended before: 90d, 2026-01-31',
    },
    to: { value: 'folder', description: 'archive: folder for the files (default: archive in REMORA_HOME)' },
    yes: { description: 'prune, archive: do not ask for confirmation' },
    'dry-run': { description: 'prune, archive: print changes without making them' },
    json: { description: 'Print a JSON object' },
  },
  examples: [
    'remora data path',
    'remora data size',
    'remora data backup ~/ledger-backup.db',
    'remora data prune --before 90d --dry-run',
    'remora data archive --before 90d --dry-run',
    'remora data archives',
  ],
  async run(input, io) {
    const [action = '', file] = input.positionals
    if (!actions.includes(action))
      throw new UsageError(`Unknown action "${action}" for remora data`, `One of: ${actions.join(', ')}`)
    if (file !== undefined && action !== 'backup')
      throw new UsageError(
        `Unexpected argument "${file}" for remora data ${action}`,
        'See: remora data --help',
      )
    if (input.values['to'] !== undefined && action !== 'archive')
      throw new UsageError(`remora data ${action} has no --to`, 'See: remora data --help')
    return dataAction(action, input, io)
  },
}

async function dataAction(action: string, input: Input, io: Io): Promise<number> {
  const print = (json: object, text: string): number => {
    io.out(input.values['json'] ? `${JSON.stringify(json, null, 2)}\n` : `${text}\n`)
    return 0
  }
  if (action === 'path') {
    const database = await sharedDatabase(io)
    const path = ledgerPath(io)
    return database === undefined ? print({ path }, path) : print({ database }, database)
  }
  // The archive actions load packages that the others do not need.
  const { archive, archives } = action.startsWith('archive') ? await import('./archive.ts') : {}
  const work = { size, backup, prune, archive, archives }[action]!
  if (action === 'size' || action === 'archives')
    return readLedger(io, (ledger) => work(ledger, input, io, print), { current: false })
  return withLedger(io, (ledger) => work(ledger, input, io, print), { current: false })
}

export type Print = (json: object, text: string) => number

async function size(ledger: Ledger, _input: Input, io: Io, print: Print): Promise<number> {
  const database = await sharedDatabase(io)
  if (database === undefined && !existsSync(ledgerPath(io)))
    return print(
      { path: ledgerPath(io), bytes: 0, sessions: 0, events: 0 },
      'No ledger yet. Create it: remora import',
    )
  const { bytes, sessions, events } = await ledger.size()
  const place = database === undefined ? { path: ledgerPath(io) } : { database }
  const archived = await countArchivedEvents(ledger)
  const more = archived === 0 ? '' : `\n${plural(archived, 'event')} more in archives: remora data archives`
  return print(
    { ...place, bytes, sessions, events, ...(archived === 0 ? {} : { archived }) },
    `${byteSize(bytes)}, ${plural(sessions, 'session')}, ${plural(events, 'event')} in ${await ledgerPlace(io)}${more}`,
  )
}

async function backup(ledger: Ledger, input: Input, io: Io, print: Print): Promise<number> {
  const [, word] = input.positionals
  if (word === undefined)
    throw new UsageError('remora data backup needs <file>', 'For example: remora data backup ~/ledger.db')
  const file = userPath(word, io)
  if (existsSync(file))
    throw await fail('conflict', `${file} already exists`, 'Choose another name, or move the file first')
  await ledger.backup(file)
  return print({ path: file }, `Backup written to ${homePath(file, io.home)}`)
}

async function prune(ledger: Ledger, input: Input, io: Io, print: Print): Promise<number> {
  const { before } = input.values
  if (typeof before !== 'string')
    throw new UsageError(
      'remora data prune needs --before',
      'For example: remora data prune --before 90d --dry-run',
    )
  const time = timeOption('before', before, Date.now())
  const dryRun = input.values['dry-run'] === true
  const planned = await ledger.prune({ before: time, dryRun: true })
  if (
    !dryRun &&
    planned.sessions > 0 &&
    !input.values['yes'] &&
    !(await confirmDeletion(planned.sessions, io))
  ) {
    io.err('Nothing was deleted.\n')
    return 1
  }
  const { sessions, events, bytes } = dryRun ? planned : await ledger.prune({ before: time })
  const what = `${plural(sessions, 'archived session')} from before ${formatDate(time)} (${plural(events, 'event')}, ${byteSize(bytes)})`
  return print(
    { before: new Date(time).toISOString(), dryRun, sessions, events, bytes },
    `${dryRun ? 'Would delete' : 'Deleted'} ${what}. Sessions that still exist in their agent are kept.`,
  )
}

function confirmDeletion(sessions: number, io: Io): Promise<boolean> {
  const question =
    `Delete ${plural(sessions, 'session')}? Their agents deleted them: these are the last copies.\n` +
    '  Type y to delete them: '
  return confirm(io, question, 'remora data prune --before <time> --yes')
}

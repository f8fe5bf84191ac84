import { type Archive, type Ledger, type MonthEntry, monthsOf, ownNode } from '@remora/ledger'
import { archiveAlone } from '@remora/intake'
import { canAsk, saysYes } from '../command/confirm.ts'
import { colors } from '../output/colors.ts'
import { homePath } from '../output/home-path.ts'
import type { Io } from '../command/io.ts'
import { stopCode } from '../output/write-all.ts'
import { Progress } from '../output/progress.ts'
import { archiveFolder, remoraHome } from '../home/remora-home.ts'
import { byteSize, plural, wholeNumber } from '../output/format-number.ts'
import { ago, dateOf } from '../output/format-time.ts'
import { table } from '../output/table.ts'
import { timeOption } from '../args/time-option.ts'
import { UsageError } from '../command/errors.ts'
import { userPath } from '../home/user-path.ts'
import type { Input } from '../command/verb.ts'
import type { Tell } from './data-actions.ts'

/** Takes months that are long over out of the database, each into a file of its own. */
export async function archive(ledger: Ledger, input: Input, io: Io, tell: Tell): Promise<number> {
  const { before, to } = input.values
  if (typeof before !== 'string')
    throw new UsageError(
      'remora data archive needs --before',
      'For example: remora data archive --before 90d --dry-run',
    )
  const now = Date.now()
  const time = timeOption('before', before, now)
  // As a length of time: the clock of this machine may be another than that of the database.
  const keepMs = now - time
  const dryRun = input.values['dry-run'] === true
  const folder = typeof to === 'string' ? userPath(to, io) : archiveFolder(io)
  const months = await monthsOf(ledger).list(keepMs)
  const about = { before: time, dryRun, folder, months }
  if (months.length === 0)
    return tell({ ...about, archives: [] }, `No months to archive before ${dateOf(time)}.`)
  const where = homePath(folder, io.home)
  if (dryRun) return tell({ ...about, archives: [] }, `Would archive ${listed(months)}\nto ${where}`)
  if (!input.values['yes'] && !(await agreed(months, where, io))) {
    io.err('Nothing was archived.\n')
    return 1
  }
  const done = await archiveWithProgress(ledger, { keepMs, folder }, io)
  if (typeof done === 'number') return done
  const events = done.reduce((sum, each) => sum + each.events, 0)
  return tell(
    { ...about, archives: done },
    [
      `Archived ${plural(done.length, 'month')} (${plural(events, 'event')}, compared by count and digest):`,
      ...done.map(({ file }) => `  ${homePath(file, io.home)}`),
      'Session lists, usage and calls stay in the database. These files are the only copy of the messages: keep them safe.',
    ].join('\n'),
  )
}

/** What was archived by any machine. */
export async function archives(ledger: Ledger, input: Input, io: Io, tell: Tell): Promise<number> {
  const known = await monthsOf(ledger).archives()
  if (input.values['json']) return tell(known, '')
  if (known.length === 0) {
    io.err('No archives yet.\n  Preview one: remora data archive --before 90d --dry-run\n')
    return 0
  }
  const now = Date.now()
  const rows = known.map(({ month, events, sessions, machine, at, file, dropped }) => ({
    cells: [
      month,
      wholeNumber(events),
      wholeNumber(sessions),
      machine,
      dropped ? ago(at, now) : 'not finished',
      file,
    ],
  }))
  const columns = [
    { title: 'MONTH' },
    { title: 'EVENTS', align: 'right' },
    { title: 'SESSIONS', align: 'right' },
    { title: 'MACHINE', least: 8 },
    { title: 'ARCHIVED' },
    { title: 'FILE' },
  ] as const
  const lines = table(columns, rows, io.columns ?? 1000, await colors(input, io))
  if (known.some(({ dropped }) => !dropped)) lines.push('Run remora data archive again to finish.')
  return tell(known, lines.join('\n'))
}

/** The exit code where it was stopped. */
async function archiveWithProgress(
  ledger: Ledger,
  { keepMs, folder }: { readonly keepMs: number; readonly folder: string },
  io: Io,
): Promise<Archive[] | number> {
  const signal = io.stopped?.() ?? new AbortController().signal
  const progress = new Progress(io)
  try {
    const { name: machine } = await ownNode(remoraHome(io))
    const onProgress: NonNullable<Parameters<typeof archiveAlone>[1]['onProgress']> = (at) =>
      progress.tell(`Archiving ${at.month}`, at.done / at.total, `${at.step}, ${plural(at.total, 'event')}`)
    return await archiveAlone(ledger, { keepMs, folder, machine, signal, onProgress }, 'remora data archive')
  } catch (error) {
    if (!signal.aborted) throw error
    progress.clear()
    io.err('Stopped. Nothing is lost; run it again to continue.\n')
    return stopCode(signal)
  } finally {
    progress.clear()
  }
}

function listed(months: readonly MonthEntry[]): string {
  return months
    .map(({ month, events, bytes }) => `${month} (${plural(events, 'event')}, ${byteSize(bytes)})`)
    .join(', ')
}

async function agreed(months: readonly MonthEntry[], where: string, io: Io): Promise<boolean> {
  if (!canAsk(io))
    throw new UsageError(
      'Not a terminal, so Remora cannot ask for confirmation',
      'Pass --yes to confirm: remora data archive --before <time> --yes',
    )
  io.err(`Move ${listed(months)} from the database to ${where}?\n`)
  io.err('  All machines can then read and search these messages only in the archive.\n')
  io.err('  Type y to archive: ')
  return saysYes(io)
}

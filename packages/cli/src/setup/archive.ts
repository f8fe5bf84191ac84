import { archiveAlone } from '@remora/intake'
import { type Archive, type Ledger, type MonthEntry, getMonths, getOwnNode } from '@remora/ledger'
import { timeOption } from '../args/time-option.ts'
import { confirm } from '../command/confirm.ts'
import { UsageError } from '../command/errors.ts'
import type { Io } from '../command/io.ts'
import type { Input } from '../command/verb.ts'
import { archiveFolder, remoraHome, userPath } from '../home/remora-home.ts'
import { colors } from '../output/colors.ts'
import { byteSize, plural, wholeNumber } from '../output/format-number.ts'
import { ago, formatDate, withIsoTimes } from '../output/format-time.ts'
import { homePath } from '../output/home-path.ts'
import { Progress } from '../output/progress.ts'
import { table } from '../output/table.ts'
import { stopCode } from '../output/write-all.ts'
import type { Print } from './data.ts'

/** Moves past months from the database to one file each. */
export async function archive(ledger: Ledger, input: Input, io: Io, print: Print): Promise<number> {
  const { before, to } = input.values
  if (typeof before !== 'string')
    throw new UsageError(
      'remora data archive needs --before',
      'For example: remora data archive --before 90d --dry-run',
    )
  const now = Date.now()
  const time = timeOption('before', before, now)
  // An age, because the clocks of this machine and of the database may differ.
  const keepMs = now - time
  const dryRun = input.values['dry-run'] === true
  const folder = typeof to === 'string' ? userPath(to, io) : archiveFolder(io)
  const months = await getMonths(ledger).list(keepMs)
  const about = { before: new Date(time).toISOString(), dryRun, folder, months }
  if (months.length === 0)
    return print({ ...about, archives: [] }, `No months to archive before ${formatDate(time)}.`)
  const where = homePath(folder, io.home)
  if (dryRun) return print({ ...about, archives: [] }, `Would archive ${formatMonths(months)}\nto ${where}`)
  if (!input.values['yes'] && !(await confirmArchive(months, where, io))) {
    io.err('Nothing was archived.\n')
    return 1
  }
  const done = await archiveWithProgress(ledger, { keepMs, folder }, io)
  if (typeof done === 'number') return done
  const events = done.reduce((sum, each) => sum + each.events, 0)
  return print(
    { ...about, archives: done.map((each) => withIsoTimes(each, 'at')) },
    [
      `Archived ${plural(done.length, 'month')} (${plural(events, 'event')}, compared by count and digest):`,
      ...done.map(({ file }) => `  ${homePath(file, io.home)}`),
      'Session lists, usage and calls stay in the database. These files are the only copy of the messages: keep them safe.',
    ].join('\n'),
  )
}

/** Lists the archives of all machines. */
export async function archives(ledger: Ledger, input: Input, io: Io, print: Print): Promise<number> {
  const known = await getMonths(ledger).archives()
  if (input.values['json']) {
    const list = known.map((each) => withIsoTimes(each, 'at'))
    return print(list, '')
  }
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
  return print([], lines.join('\n'))
}

/** Returns the exit code if it was interrupted. */
async function archiveWithProgress(
  ledger: Ledger,
  { keepMs, folder }: { readonly keepMs: number; readonly folder: string },
  io: Io,
): Promise<Archive[] | number> {
  const signal = io.stopped?.() ?? new AbortController().signal
  const progress = new Progress(io)
  try {
    const { name: machine } = await getOwnNode(remoraHome(io))
    const onProgress: NonNullable<Parameters<typeof archiveAlone>[1]['onProgress']> = (at) =>
      progress.update(`Archiving ${at.month}`, at.done / at.total, `${at.step}, ${plural(at.total, 'event')}`)
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

function formatMonths(months: readonly MonthEntry[]): string {
  return months
    .map(({ month, events, bytes }) => `${month} (${plural(events, 'event')}, ${byteSize(bytes)})`)
    .join(', ')
}

function confirmArchive(months: readonly MonthEntry[], where: string, io: Io): Promise<boolean> {
  const question =
    `Move ${formatMonths(months)} from the database to ${where}?\n` +
    '  All machines can then read and search these messages only in the archive.\n' +
    '  Type y to archive: '
  return confirm(io, question, 'remora data archive --before <time> --yes')
}

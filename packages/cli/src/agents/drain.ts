import { existsSync } from 'node:fs'
import { type DrainReport, drainSpool } from '@remora/intake'
import { spoolFolder } from '@remora/sdk/hooks'
import type { Io } from '../command/io.ts'
import { remoraHome } from '../home/remora-home.ts'
import { withLedger } from '../ledger/with-ledger.ts'
import { plural } from '../output/format-number.ts'
import { homePath } from '../output/home-path.ts'
import { Progress } from '../output/progress.ts'
import { stopCode } from '../output/write-all.ts'

/** Imports the hook spool and prints a summary. */
export async function ingestSpool(json: boolean, io: Io): Promise<number> {
  // Opening the ledger would create it, so an empty spool returns early.
  if (!existsSync(spoolFolder(remoraHome(io)))) {
    const none: DrainReport = { entries: 0, events: 0, damaged: [], unreadable: [], refused: 0, abandoned: 0 }
    if (json) io.out(`${JSON.stringify(none, null, 2)}\n`)
    else printReport(none, io)
    return 0
  }
  const signal = io.stopped?.() ?? new AbortController().signal
  const progress = new Progress(io)
  try {
    const report = await withLedger(
      io,
      (ledger) =>
        drainSpool(ledger, {
          remoraHome: remoraHome(io),
          wait: true,
          signal,
          onProgress: ({ entries, total }) =>
            progress.update('Reading hook payloads', entries / total, `${entries} of ${total}`),
        }),
      { current: false },
    )
    progress.clear()
    if (json) io.out(`${JSON.stringify(report, null, 2)}\n`)
    else printReport(report, io)
    return 0
  } catch (error) {
    progress.clear()
    if (!signal.aborted) throw error
    return stopCode(signal)
  }
}

function printReport(
  { entries, events, damaged, unreadable, refused, abandoned }: DrainReport,
  io: Io,
): void {
  io.out(
    entries === 0
      ? 'The hook spool is empty.\n'
      : `Read ${plural(entries, 'payload')}: ${plural(events, 'new event')}.\n`,
  )
  if (damaged.length > 0) {
    io.err(`${plural(damaged.length, 'payload')} could not be read and ${isKept(damaged.length)}:\n`)
    io.err(damaged.map((file) => `  ${homePath(file, io.home)}\n`).join(''))
  }
  if (unreadable.length > 0) {
    io.err(`${plural(unreadable.length, 'payload')} could not be read or moved (permission denied):\n`)
    io.err(unreadable.map((file) => `  ${homePath(file, io.home)}\n`).join(''))
  }
  if (abandoned > 0) io.err(`${plural(abandoned, 'payload')} left incomplete by interrupted hooks.\n`)
  if (refused > 0)
    io.err(
      `${plural(refused, 'payload')} lost: the spool or the disk was full.\n  To empty the spool continuously: remora import follow\n`,
    )
}

function isKept(count: number): string {
  return count === 1 ? 'is kept here' : 'are kept here'
}

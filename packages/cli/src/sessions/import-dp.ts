import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type DesiresReport, importDesires } from '@remora/intake'
import { fail, UsageError } from '../command/errors.ts'
import type { Io } from '../command/io.ts'
import type { Input } from '../command/verb.ts'
import { withLedger } from '../ledger/with-ledger.ts'
import { plural } from '../output/format-number.ts'
import { homePath } from '../output/home-path.ts'
import { type NotesReport, importNotes } from './import-dp-notes.ts'

/** Imports the recorded calls of desire-path. Sessions are imported first, because they have more details. */
export async function importFromDp(input: Input, io: Io): Promise<number> {
  const [named] = input.positionals
  if (!input.values['from-dp'])
    throw new UsageError(
      `Unexpected argument "${named}" for remora import`,
      'To import a desire-path database: remora import --from-dp [file]',
    )
  const file = named === undefined ? join(io.home, '.dp', 'desires.db') : resolve(io.cwd, named)
  if (!existsSync(file))
    throw await fail(
      'not_found',
      `No desire-path database at ${homePath(file, io.home)}`,
      'Pass its path: remora import --from-dp <file>',
    )
  const { notes, ...report } = await withLedger(io, (ledger) => importDesires(ledger, file))
  const imported = await importNotes(notes, io)
  if (input.values['json']) io.out(`${JSON.stringify({ ...report, ...imported }, null, 2)}\n`)
  else {
    printReport(report, io)
    printNotes('alias', imported.aliases, io)
    printNotes('mapping', imported.mappings, io)
  }
  return 0
}

/** Leaves out empty counts. */
function printNotes(noun: 'alias' | 'mapping', { added, kept, refused }: NotesReport, io: Io): void {
  const counted = (count: number): string =>
    `${count} ${count === 1 ? noun : { alias: 'aliases', mapping: 'mappings' }[noun]}`
  if (added > 0)
    io.out(`Imported ${counted(added)}: ${noun === 'alias' ? 'remora alias' : 'remora desires map'}\n`)
  if (kept > 0) io.out(`${counted(kept)} skipped: Remora already has one.\n`)
  for (const { name, reason } of refused) io.err(`Skipped ${noun} ${name}: ${reason}\n`)
}

function printReport(
  { desires, invocations, events, known, foreign }: Omit<DesiresReport, 'notes'>,
  io: Io,
): void {
  const calls = `${plural(desires, 'failed call')} and ${plural(invocations, 'successful one')}`
  io.out(`Read ${calls}: ${plural(events, 'new event')}.\n`)
  if (known > 0) io.out(`${plural(known, 'call')} skipped: already imported from transcripts.\n`)
  for (const [source, count] of Object.entries(foreign))
    io.out(`${plural(count, 'call')} skipped: unknown agent "${source}".\n`)
}

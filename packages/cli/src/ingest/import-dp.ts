import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type DesiresReport, importDesires } from '@remora/intake'
import { fail } from '../fail.ts'
import { homePath } from '../home-path.ts'
import type { Io } from '../io.ts'
import { plural } from '../say-number.ts'
import { UsageError } from '../usage-error.ts'
import type { Input } from '../verb.ts'
import { withLedger } from '../with-ledger.ts'
import { type NotesReport, importNotes } from './import-dp-notes.ts'

/** Takes over the recordings of desire-path. Sessions are read first: what they tell is better. */
export async function importFromDp(input: Input, io: Io): Promise<number> {
  const [named] = input.positionals
  if (!input.values['from-dp'])
    throw new UsageError(
      `remora import does not know what to do with "${named}"`,
      'A database of desire-path is imported with: remora import --from-dp [file]',
    )
  const file = named === undefined ? join(io.home, '.dp', 'desires.db') : resolve(io.cwd, named)
  if (!existsSync(file))
    throw await fail(
      'not_found',
      `There is no database of desire-path in ${homePath(file, io.home)}`,
      'Name it: remora import --from-dp <file>',
    )
  const { notes, ...report } = await withLedger(io, (ledger) => importDesires(ledger, file))
  const told = await importNotes(notes, io)
  if (input.values['json']) io.out(`${JSON.stringify({ ...report, ...told }, null, 2)}\n`)
  else {
    tell(report, io)
    tellNotes('alias', told.aliases, io)
    tellNotes('mapping', told.mappings, io)
  }
  return 0
}

/** Says nothing of what the database has none of. */
function tellNotes(noun: 'alias' | 'mapping', { added, kept, refused }: NotesReport, io: Io): void {
  const counted = (count: number): string =>
    `${count} ${count === 1 ? noun : { alias: 'aliases', mapping: 'mappings' }[noun]}`
  if (added > 0)
    io.out(`Took over ${counted(added)}: ${noun === 'alias' ? 'remora aliases' : 'remora mappings'}\n`)
  if (kept > 0) io.out(`${counted(kept)} left out: Remora has one for the same already.\n`)
  for (const { name, reason } of refused) io.err(`The ${noun} ${name} is left out: ${reason}\n`)
}

function tell({ desires, invocations, events, known, foreign }: Omit<DesiresReport, 'notes'>, io: Io): void {
  const calls = `${plural(desires, 'failed call')} and ${plural(invocations, 'successful one')}`
  io.out(`Read ${calls}: ${plural(events, 'new event')}.\n`)
  if (known > 0)
    io.out(`${plural(known, 'call')} left out: the transcripts of their sessions tell them better.\n`)
  for (const [source, count] of Object.entries(foreign))
    io.out(`${plural(count, 'call')} left out: "${source}" is no agent of Remora's.\n`)
}

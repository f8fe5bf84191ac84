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
  const report = await withLedger(io, (ledger) => importDesires(ledger, file))
  if (input.values['json']) io.out(`${JSON.stringify(report, null, 2)}\n`)
  else tell(report, io)
  return 0
}

function tell({ desires, invocations, events, known, foreign }: DesiresReport, io: Io): void {
  const calls = `${plural(desires, 'failed call')} and ${plural(invocations, 'successful one')}`
  io.out(`Read ${calls}: ${plural(events, 'new event')}.\n`)
  if (known > 0)
    io.out(`${plural(known, 'call')} left out: the transcripts of their sessions tell them better.\n`)
  for (const [source, count] of Object.entries(foreign))
    io.out(`${plural(count, 'call')} left out: "${source}" is no agent of Remora's.\n`)
}

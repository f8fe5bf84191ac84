import type { Damage } from '@remora/sdk/transcripts'
import { plural, wholeNumber } from './format-number.ts'
import { homePath } from './home-path.ts'
import { oneLine } from './one-line.ts'

const maximumShown = 10

/** Lists the records that could not be read, each with its location and the reason. */
export function formatDamage(damaged: readonly Damage[], home: string): string[] {
  const lines = damaged
    .slice(0, maximumShown)
    .map(
      ({ path, offset, message }) =>
        `  ${homePath(path, home)} at byte ${offset}: ${oneLine(message, 200)}\n`,
    )
  const rest = damaged.length - maximumShown
  return [
    `${plural(damaged.length, 'record')} could not be read; the rest was imported:\n`,
    ...lines,
    ...(rest > 0 ? [`  … and ${wholeNumber(rest)} more\n`] : []),
  ]
}

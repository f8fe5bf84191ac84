import { UsageError } from '../command/errors.ts'

const units: Readonly<Record<string, number>> = {
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
}

/**
 * Parses a time option: an age (`7d`, `24h`), a day, or a time. A day is its start in local time, or its end if `edge`
 * is `end`.
 *
 * @example timeOption('since', '7d', Date.now())
 */
export function timeOption(
  option: string,
  text: string,
  now: number,
  edge: 'start' | 'end' = 'start',
): number {
  const [, amount, unit] = /^(\d+(?:\.\d+)?)\s*([mhdw])$/.exec(text.trim()) ?? []
  if (amount !== undefined) return now - Number(amount) * units[unit!]!
  const word = text.trim().toLowerCase()
  if (word === 'today' || word === 'yesterday') return dayEdge(new Date(now), word === 'today' ? 0 : -1, edge)
  const [, year, month, date] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(word) ?? []
  if (year !== undefined) {
    const local = new Date(Number(year), Number(month) - 1, Number(date))
    if (local.getMonth() === Number(month) - 1) return dayEdge(local, 0, edge)
  } else if (/^\d{4}-\d{2}-\d{2}[t ]\d/.test(word)) {
    const time = Date.parse(text.trim().replace(' ', 'T'))
    if (!Number.isNaN(time)) return time
  }
  throw new UsageError(
    `Invalid value "${text}" for --${option}`,
    'Use an age (30m, 24h, 7d, 2w), a day (2026-01-31, today, yesterday) or a time (2026-01-31T12:00)',
  )
}

function dayEdge(day: Date, shift: number, edge: 'start' | 'end'): number {
  const start = new Date(day.getFullYear(), day.getMonth(), day.getDate() + shift + (edge === 'end' ? 1 : 0))
  return start.getTime() - (edge === 'end' ? 1 : 0)
}

/** Parses a count of at least one. @example countOption('limit', '20') */
export function countOption(option: string, text: string): number {
  const count = Number(text)
  if (Number.isInteger(count) && count > 0) return count
  throw new UsageError(`Invalid value "${text}" for --${option}`, 'Use a number greater than 0')
}

const durationUnits: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 }

/** Milliseconds of `90` (seconds), `90s`, `5m`, `1.5h` or `500ms`. @example duration('timeout', '5m') // 300000 */
export function duration(option: string, text: string): number {
  const [, amount, unit = 's'] = /^(\d+(?:\.\d+)?)\s*(ms|s|m|h)?$/.exec(text.trim()) ?? []
  const milliseconds = Math.round(Number(amount) * durationUnits[unit]!)
  // Node's timers are limited to 31 bits.
  if (milliseconds > 0 && milliseconds < 2 ** 31) return milliseconds
  throw new UsageError(
    `Invalid value "${text}" for --${option}`,
    'Use seconds, or a time such as 90s, 5m or 1h',
  )
}

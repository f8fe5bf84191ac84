import { UsageError } from '../command/errors.ts'

const units: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 }

/** Milliseconds of `90` (seconds), `90s`, `5m`, `1.5h` or `500ms`. @example duration('timeout', '5m') // 300000 */
export function duration(option: string, text: string): number {
  const [, amount, unit = 's'] = /^(\d+(?:\.\d+)?)\s*(ms|s|m|h)?$/.exec(text.trim()) ?? []
  const milliseconds = Math.round(Number(amount) * units[unit]!)
  // Node's timers are limited to 31 bits.
  if (milliseconds > 0 && milliseconds < 2 ** 31) return milliseconds
  throw new UsageError(
    `Invalid value "${text}" for --${option}`,
    'Use seconds, or a time such as 90s, 5m or 1h',
  )
}

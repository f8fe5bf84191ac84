import { padTo, textWidth } from '../../output/text-width.ts'

/** Eighths of a block. */
const parts = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉']

/** A bar of blocks. @example bar(3, 4, 8) // '██████' */
export function bar(value: number, most: number, width: number): string {
  if (value <= 0 || most <= 0) return ''
  const eighths = Math.max(1, Math.round((value / most) * width * 8))
  return '█'.repeat(Math.floor(eighths / 8)) + parts[eighths % 8]
}

export interface Bar {
  readonly name: string
  readonly count: number
}

/** A bar for each name, on one scale. @example histogram([{ name: '2026-01-31', count: 4 }], 80) */
export function histogram(bars: readonly Bar[], width: number): string[] {
  const most = Math.max(...bars.map(({ count }) => count))
  const names = Math.max(...bars.map(({ name }) => textWidth(name)))
  const space = Math.max(8, Math.min(40, width - names - String(most).length - 6))
  return bars.flatMap(({ name, count }, index) => {
    if (count > 0) return [`  ${padTo(name, names)}  ${bar(count, most, space)} ${count}`]
    // Three or more empty bars are shown as one line.
    if (!isQuiet(bars, index)) return [`  ${name}`]
    return isQuiet(bars, index - 1) ? [] : ['  …']
  })
}

/** Whether it is one of three or more empty bars. */
function isQuiet(bars: readonly Bar[], index: number): boolean {
  let [start, end] = [index, index]
  while (bars[start]?.count === 0) start--
  while (bars[end]?.count === 0) end++
  return end - start > 3
}

const longest = 31

/**
 * Groups days into at most 31 bars: by day, week or month.
 *
 * @example createBars([{ day: '2026-01-31', count: 4 }]) // [{ name: '2026-01-31', count: 4 }]
 */
export function createBars(days: readonly { readonly day: string; readonly count: number }[]): {
  readonly by: 'day' | 'week' | 'month'
  readonly bars: Bar[]
} {
  if (days.length <= longest) return { by: 'day', bars: days.map(({ day, count }) => ({ name: day, count })) }
  const weeks = groupDays(days, (_, index) => days[index - (index % 7)]!.day)
  if (weeks.length <= longest) return { by: 'week', bars: weeks }
  return { by: 'month', bars: groupDays(days, (day) => day.slice(0, 7)) }
}

function groupDays(
  days: readonly { readonly day: string; readonly count: number }[],
  getName: (day: string, index: number) => string,
): Bar[] {
  const bars = new Map<string, number>()
  for (const [index, { day, count }] of days.entries()) {
    const name = getName(day, index)
    bars.set(name, (bars.get(name) ?? 0) + count)
  }
  return [...bars].map(([name, count]) => ({ name, count }))
}

/** Chart data: one value per label for each series, stacked. */
export interface ChartData {
  readonly labels: readonly string[]
  readonly series: readonly Series[]
}

export interface Series {
  readonly name: string
  /** A colour variable of the theme. @example '--chart-1' */
  readonly color: string
  readonly values: readonly number[]
}

/** As many colours as are easy to distinguish. The last one is for all others. */
const colors = ['--chart-1', '--chart-2', '--chart-3', '--chart-4', '--chart-5']
const rest = '--chart-6'

/**
 * Turns values per day into series, the largest first and small ones combined.
 *
 * @example stacked([{ day: '2026-01-31', values: { jq: 4 } }], { getName, others: 'Others' })
 */
export function stacked(
  days: readonly { readonly day: string; readonly values: Readonly<Record<string, number>> }[],
  { getName, others }: { readonly getName: (key: string) => string; readonly others: string },
): ChartData {
  const sums = new Map<string, number>()
  for (const { values } of days)
    for (const [key, value] of Object.entries(values)) sums.set(key, (sums.get(key) ?? 0) + value)
  const keys = [...sums].sort(([, one], [, other]) => other - one).map(([key]) => key)
  // A single remaining series gets its own colour.
  const shown = keys.length <= colors.length + 1 ? keys : keys.slice(0, colors.length)
  const small = new Set(keys.slice(shown.length))
  const series = shown.map((key, index) => ({
    name: getName(key),
    color: colors[index] ?? rest,
    values: days.map(({ values }) => values[key] ?? 0),
  }))
  if (small.size > 0)
    series.push({
      name: others,
      color: rest,
      values: days.map(({ values }) =>
        Object.entries(values).reduce((sum, [key, value]) => sum + (small.has(key) ? value : 0), 0),
      ),
    })
  return { labels: days.map(({ day }) => day), series }
}

const dayMs = 86_400_000

/**
 * Adds the missing days of the chosen period.
 *
 * @example spread([{ day: '2026-01-31', count: 4 }], { from: '2026-01-30', to: '2026-01-31' }, { count: 0 })
 */
export function spread<T extends { readonly day: string }>(
  days: readonly T[],
  { from, to }: { readonly from?: string | undefined; readonly to: string },
  empty: Omit<T, 'day'>,
): T[] {
  const [first, last] = [days[0]?.day, days.at(-1)?.day]
  if (first === undefined || last === undefined) return []
  const missing = (start: string, end: string): T[] => {
    const found: T[] = []
    for (let at = Date.parse(start); at < Date.parse(end); at += dayMs)
      found.push({ ...empty, day: new Date(at).toISOString().slice(0, 10) } as T)
    return found
  }
  const next = new Date(Date.parse(last) + dayMs).toISOString().slice(0, 10)
  const end = new Date(Date.parse(to) + dayMs).toISOString().slice(0, 10)
  return [...(from === undefined ? [] : missing(from, first)), ...days, ...missing(next, end)]
}

/** The number of bars that fit on a phone. */
const maxBars = 92

/** Combines days into weeks if they do not fit. */
export function fitted(data: ChartData): { readonly data: ChartData; readonly by: 'day' | 'week' } {
  if (data.labels.length <= maxBars) return { data, by: 'day' }
  // The last week ends with the last day.
  const skip = data.labels.length % 7
  const starts = [
    ...(skip > 0 ? [0] : []),
    ...Array.from({ length: Math.floor(data.labels.length / 7) }, (_, week) => skip + week * 7),
  ]
  const sum = (values: readonly number[]): number[] =>
    starts.map((start, index) =>
      values.slice(start, starts[index + 1] ?? values.length).reduce((all, each) => all + each, 0),
    )
  return {
    by: 'week',
    data: {
      labels: starts.map((start) => data.labels[start]!),
      series: data.series.map((each) => ({ ...each, values: sum(each.values) })),
    },
  }
}

/** The sum of each label. */
export function totals({ labels, series }: ChartData): number[] {
  return labels.map((_, index) => series.reduce((sum, { values }) => sum + (values[index] ?? 0), 0))
}

import type { Rate, Stats } from '@remora/insights'
import type { Io } from '../../command/io.ts'
import type { Input } from '../../command/verb.ts'
import type { Colors } from '../../output/colors.ts'
import { plural, wholeNumber } from '../../output/format-number.ts'
import { formatDate } from '../../output/format-time.ts'
import { type Column, table } from '../../output/table.ts'
import { wrap } from '../../output/wrap-words.ts'
import { percent, toCell } from './format-call.ts'
import { showCalls } from './show-calls.ts'

const usual = 10

/** Shows totals and rates of failures, or of all calls. */
export async function showStats(input: Input, io: Io): Promise<number> {
  const { stats } = await import('@remora/insights')
  const all = input.values['invocations'] === true
  return showCalls(input, io, { failed: false }, ({ calls, failures, query }) => {
    // Only failures have a class, so with --category only they are counted.
    const kept = new Set(query.classes ? failures.map(({ id }) => id) : [])
    const counted = query.classes ? calls.filter(({ id, failed }) => !failed || kept.has(id)) : calls
    const found = stats(counted, failures)
    const limit = query.limit ?? usual
    return {
      json: found,
      lines: (paint, width) =>
        found.calls === 0 || (!all && found.failed === 0) ? [] : formatStats(found, all, limit, width, paint),
    }
  })
}

function formatStats(found: Stats, all: boolean, limit: number, width: number, paint: Colors): string[] {
  const { calls, failed, sessions, first, last } = found
  const from = first === null || last === null ? '' : `, ${formatDate(first)} to ${formatDate(last)}`
  const total = all
    ? `${plural(calls, 'call')}, ${wholeNumber(failed)} failed (${percent(failed, calls)})`
    : `${plural(failed, 'failure')} in ${plural(calls, 'call')} (${percent(failed, calls)})`
  const spans: [string, Rate][] = [
    ['last 24 hours', found.last24h],
    ['last 7 days', found.last7d],
    ['last 30 days', found.last30d],
    ['all', found],
  ]
  const relevant = ({ failed: count }: Rate): boolean => all || count > 0
  const corrected =
    found.corrected === 0
      ? []
      : [paint.dim(`${plural(found.corrected, 'more call')} corrected by your aliases`)]
  return [
    ...wrap(`${total}, ${plural(sessions, 'session')}${from}`, width).map(paint.bold),
    ...corrected,
    '',
    ...rates('WHEN', spans, width, paint),
    '',
    ...rates(
      'AGENT',
      found.agents.filter(relevant).map((rate) => [rate.name, rate]),
      width,
      paint,
    ),
    '',
    ...rates(
      'TOOL',
      found.tools
        .filter(relevant)
        .sort((one, other) => (all ? other.calls - one.calls : other.failed - one.failed))
        .slice(0, limit)
        .map((rate) => [rate.name, rate]),
      width,
      paint,
    ),
    ...(found.classes.length === 0 ? [] : ['', ...classes(found, width, paint)]),
  ]
}

const numbers: readonly Column[] = [
  { title: 'CALLS', align: 'right' },
  { title: 'FAILED', align: 'right' },
  { title: 'RATE', align: 'right' },
]

function rates(title: string, rows: readonly [string, Rate][], width: number, paint: Colors): string[] {
  return table(
    [{ title: title.padEnd(20), least: 12 }, ...numbers],
    rows.map(([name, { calls, failed }]) => ({
      cells: [toCell(name, 60), wholeNumber(calls), wholeNumber(failed), percent(failed, calls)],
    })),
    width,
    paint,
  )
}

function classes({ classes: found, failed }: Stats, width: number, paint: Colors): string[] {
  return table(
    [
      { title: 'CLASS'.padEnd(20), least: 12 },
      { title: 'FAILED', align: 'right' },
      { title: 'SHARE', align: 'right' },
    ],
    found.map(({ class: name, count }) => ({ cells: [name, wholeNumber(count), percent(count, failed)] })),
    width,
    paint,
  )
}

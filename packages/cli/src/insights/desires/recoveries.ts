import type { InputChange, Recovery, RecoveryStats } from '@remora/insights'
import type { Io } from '../../command/io.ts'
import type { Input } from '../../command/verb.ts'
import type { Colors } from '../../output/colors.ts'
import { plural, wholeNumber } from '../../output/format-number.ts'
import { ago } from '../../output/format-time.ts'
import { table } from '../../output/table.ts'
import { cutTo } from '../../output/text-width.ts'
import { wrap } from '../../output/wrap-words.ts'
import { toCallJson, toDesireJson, percent, toCell, sessionIds, formatDuration } from './format-call.ts'
import { showCalls } from './show-calls.ts'

const usual = 20

/** Shows failures that the agent recovered from, and what it changed. */
export async function showRecoveries(input: Input, io: Io): Promise<number> {
  const { recoveries, recoveryStats } = await import('@remora/insights')
  return showCalls(input, io, { failed: false }, ({ calls, failures, query, ledger }) => {
    const found = recoveries(calls, failures)
    if (input.values['stats']) {
      const stats = recoveryStats(failures, found)
      return {
        json: stats,
        lines: (paint, width) => (stats.length === 0 ? [] : statLines(stats, width, paint)),
      }
    }
    const shown = found.slice(0, query.limit ?? (input.values['json'] ? found.length : usual))
    return {
      json: shown.map(recoveryJson),
      async lines(paint, width) {
        if (shown.length === 0) return []
        const short = await sessionIds(ledger)
        const more = found.length - shown.length
        return [
          ...shown.flatMap((each, index) => [
            ...(index === 0 ? [] : ['']),
            ...recoveryLines(each, short, width, paint),
          ]),
          ...(io.terminal && more > 0 ? ['', paint.dim(`${more} more with --top ${found.length}`)] : []),
        ]
      },
      none:
        failures.length === 0
          ? undefined
          : `No recoveries in ${plural(failures.length, 'failure')}.\n  List them: remora desires list\n`,
    }
  })
}

function recoveryLines(
  { pattern, agent, session, success, attempts, calls, durationMs, changes }: Recovery,
  short: (id: string) => string,
  width: number,
  paint: Colors,
): string[] {
  const tries = attempts === 1 ? '' : `${attempts} attempts, `
  return [
    cutTo(toCell(pattern, 120), width),
    ...wrap(
      `${agent} ${short(session)}, ${ago(success.at, Date.now())}: ${tries}recovered after ${plural(calls, 'call')} and ${formatDuration(durationMs)}`,
      width,
      '  ',
    ).map(paint.dim),
    ...(changes.length === 0
      ? [paint.dim('  same input')]
      : changes.flatMap((each) => changeLines(each, width, paint))),
  ]
}

function changeLines({ field, from, to }: InputChange, width: number, paint: Colors): string[] {
  const [before, after] = apart(from ?? '', to ?? '')
  return [
    ...(from === null ? [] : [paint.red(cutTo(`  - ${field}: ${before}`, width))]),
    ...(to === null ? [] : [paint.green(cutTo(`  + ${field}: ${after}`, width))]),
  ]
}

/** Leaves out the common start of two long texts. */
function apart(from: string, to: string): [string, string] {
  const [left, right] = [toCell(from, 4000), toCell(to, 4000)]
  let same = 0
  while (same < left.length && left[same] === right[same]) same++
  const start = same > 60 ? left.lastIndexOf(' ', same - 20) + 1 : 0
  const cut = (text: string): string => `${start > 0 ? '…' : ''}${toCell(text.slice(start), 160)}`
  return [cut(left), cut(right)]
}

function statLines(stats: readonly RecoveryStats[], width: number, paint: Colors): string[] {
  return table(
    [
      { title: 'CLASS' },
      { title: 'FAILURES', align: 'right' },
      { title: 'RECOVERED', align: 'right' },
      { title: 'RATE', align: 'right' },
      { title: 'CALLS', align: 'right' },
      { title: 'TOOK', align: 'right' },
    ],
    stats.map((each) => ({
      cells: [
        each.class,
        wholeNumber(each.failures),
        wholeNumber(each.recovered),
        percent(each.recovered, each.failures),
        each.recovered === 0 ? '-' : String(each.averageCalls),
        each.recovered === 0 ? '-' : formatDuration(each.averageMs),
      ],
    })),
    width,
    paint,
  )
}

function recoveryJson({ failure, success, changes, ...about }: Recovery) {
  return {
    ...about,
    changes: changes.map(({ field, from, to }) => ({
      field,
      from: from === null ? null : toCell(from, 4000),
      to: to === null ? null : toCell(to, 4000),
    })),
    failure: toDesireJson(failure),
    success: toCallJson(success),
  }
}

import type { Turn, TurnPattern, TurnsReport } from '@remora/insights'
import { countOption } from '../../args/time-option.ts'
import type { Io } from '../../command/io.ts'
import type { Input } from '../../command/verb.ts'
import type { Colors } from '../../output/colors.ts'
import { plural, wholeNumber } from '../../output/format-number.ts'
import { ago } from '../../output/format-time.ts'
import { type Column, table } from '../../output/table.ts'
import { wrap } from '../../output/wrap-words.ts'
import { percent, toCell, sessionIds, formatDuration } from './format-call.ts'
import { showCalls } from './show-calls.ts'

const defaultLimit = 20

/** Shows how many calls prompts take, or with `--patterns` the tool sequences that repeat across sessions. */
export async function showTurns(input: Input, io: Io): Promise<number> {
  const { turnPatterns, turns } = await import('@remora/insights')
  const { patterns, 'min-length': minLengthText } = input.values
  const minLength = typeof minLengthText === 'string' ? countOption('min-length', minLengthText) : 5
  return showCalls(input, io, { failed: false }, ({ calls, query, ledger }) => {
    if (patterns) {
      const found = turnPatterns(calls)
      const shown = found.slice(0, query.limit ?? (input.values['json'] ? found.length : defaultLimit))
      return {
        json: shown,
        lines: (paint, width) => (shown.length === 0 ? [] : formatPatterns(shown, width, paint)),
        none:
          calls.length === 0
            ? undefined
            : 'No tool sequence occurs in three or more sessions.\n  Remove a filter, or try again with more sessions.\n',
      }
    }
    const report = turns(calls, minLength)
    const long = report.long.slice(
      0,
      query.limit ?? (input.values['json'] ? report.long.length : defaultLimit),
    )
    return {
      json: { ...report, minLength, longTurns: report.long.length, long },
      async lines(paint, width) {
        if (report.turns === 0) return []
        return [
          ...formatSummary(report, minLength, width, paint),
          ...formatTurns(long, await sessionIds(ledger), width, paint),
        ]
      },
    }
  })
}

function formatSummary(
  { turns, calls, average, median, long }: TurnsReport,
  minLength: number,
  width: number,
  paint: Colors,
): string[] {
  return [
    ...wrap(
      `${plural(turns, 'turn')} with ${plural(calls, 'call')}: ${average} on average, median ${median}`,
      width,
    ).map(paint.bold),
    `${wholeNumber(long.length)} of them (${percent(long.length, turns)}) took ${minLength} calls or more`,
  ]
}

const turnColumns: readonly Column[] = [
  { title: 'CALLS', align: 'right' },
  { title: 'FAILED', align: 'right' },
  { title: 'TOOK', align: 'right', from: 80 },
  { title: 'WHEN' },
  { title: 'AGENT', from: 70 },
  { title: 'SESSION' },
  { title: 'TURN', align: 'right', from: 80 },
  { title: 'TOOLS', least: 12 },
]

function formatTurns(
  long: readonly Turn[],
  shortenId: (id: string) => string,
  width: number,
  paint: Colors,
): string[] {
  if (long.length === 0) return []
  const now = Date.now()
  const rows = long.map((turn) => ({
    cells: [
      String(turn.calls),
      String(turn.failed),
      formatDuration(turn.durationMs),
      ago(turn.at, now),
      turn.agent,
      shortenId(turn.session),
      String(turn.turn),
      toCell(turn.tools.join(' → '), 120),
    ],
  }))
  return ['', ...table(turnColumns, rows, width, paint)]
}

function formatPatterns(found: readonly TurnPattern[], width: number, paint: Colors): string[] {
  const now = Date.now()
  return table(
    [
      { title: 'SESSIONS', align: 'right' },
      { title: 'COUNT', align: 'right' },
      { title: 'LAST' },
      { title: 'TOOLS', least: 20 },
    ],
    found.map(({ tools, sessions, count, last }) => ({
      cells: [wholeNumber(sessions), wholeNumber(count), ago(last, now), toCell(tools.join(' → '), 160)],
    })),
    width,
    paint,
  )
}

import type { Io } from '../../command/io.ts'
import type { Input } from '../../command/verb.ts'
import { ago } from '../../output/format-time.ts'
import { type Column, table } from '../../output/table.ts'
import { toDesireJson, toCell, sessionIds } from './format-call.ts'
import { showCalls } from './show-calls.ts'

const usual = 20

const columns: readonly Column[] = [
  { title: 'WHEN' },
  { title: 'AGENT', from: 70 },
  { title: 'SESSION', from: 90 },
  { title: 'TOOL', least: 4 },
  { title: 'CLASS' },
  { title: 'INPUT', least: 8 },
  { title: 'ERROR', least: 10 },
]

/** Lists single failures, newest first. */
export async function listDesires(input: Input, io: Io): Promise<number> {
  const { inputText } = await import('@remora/insights')
  return showCalls(input, io, { failed: true }, ({ failures, query, ledger }) => {
    const sorted = failures.toSorted((one, other) => other.at - one.at || other.id - one.id)
    const shown = sorted.slice(0, query.limit ?? (input.values['json'] ? sorted.length : usual))
    return {
      json: shown.map(toDesireJson),
      async lines(paint, width) {
        if (shown.length === 0) return []
        const short = await sessionIds(ledger)
        const now = Date.now()
        const rows = shown.map((failure) => ({
          cells: [
            ago(failure.at, now),
            failure.agent,
            short(failure.session),
            toCell(failure.tool, 40),
            failure.class,
            toCell(inputText(failure.input), 80) || '-',
            toCell(failure.line, 100) || `(${failure.status})`,
          ],
        }))
        const more = sorted.length - shown.length
        return [
          ...table(columns, rows, width, paint),
          ...(io.terminal && more > 0
            ? ['', paint.dim(`${shown.length} of ${sorted.length}, more with --top ${sorted.length}`)]
            : []),
        ]
      },
    }
  })
}

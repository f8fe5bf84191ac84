import type { DesirePath } from '@remora/insights'
import type { Io } from '../../command/io.ts'
import type { Input } from '../../command/verb.ts'
import { wholeNumber } from '../../output/format-number.ts'
import { ago } from '../../output/format-time.ts'
import { type Column, table } from '../../output/table.ts'
import { wrap } from '../../output/wrap-words.ts'
import { toDesireJson, toCell } from './format-call.ts'
import { showCalls } from './show-calls.ts'

const usual = 20

const columns: readonly Column[] = [
  { title: 'SCORE', align: 'right' },
  { title: 'PATTERN', least: 24 },
  { title: 'COUNT', align: 'right' },
  { title: 'SESSIONS', align: 'right', from: 70 },
  { title: 'AGENTS', least: 6, from: 85 },
  { title: 'TREND', from: 78 },
  { title: 'LAST' },
  { title: 'EXAMPLE', least: 10, gives: 2, from: 110 },
]

/** Shows failure patterns, most costly first. */
export async function showPaths(input: Input, io: Io): Promise<number> {
  const { inputText, paths } = await import('@remora/insights')
  return showCalls(input, io, { failed: true }, ({ failures, query }) => {
    const found = paths(failures)
    const shown = found.slice(0, query.limit ?? (input.values['json'] ? found.length : usual))
    return {
      json: shown.map(toPathJson),
      lines(paint, width) {
        if (shown.length === 0) return []
        const now = Date.now()
        const rows = shown.map((path) => ({
          cells: [
            path.score.toFixed(1),
            toCell(path.name, 90),
            wholeNumber(path.count),
            wholeNumber(path.sessions),
            path.agents.join(', '),
            path.trend,
            ago(path.last, now),
            toCell(inputText(path.example.input), 60),
          ],
        }))
        const more = found.length - shown.length
        const notes = [
          ...(more > 0 ? [`${more} more with --top ${found.length}`] : []),
          `Details: remora desires inspect "${toCell(shown[0]!.name, 90)}"`,
        ]
        return [
          ...table(columns, rows, width, paint),
          ...(io.terminal ? ['', ...wrap(notes.join(' · '), width).map(paint.dim)] : []),
        ]
      },
    }
  })
}

/** The JSON form of a pattern. */
function toPathJson({ example, detail, ...path }: DesirePath) {
  return { ...path, detail: detail ?? null, example: toDesireJson(example) }
}

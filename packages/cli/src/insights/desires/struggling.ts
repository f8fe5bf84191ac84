import type { Struggle } from '@remora/insights'
import { countOption } from '../../args/time-option.ts'
import type { Io } from '../../command/io.ts'
import type { Input } from '../../command/verb.ts'
import { ago } from '../../output/format-time.ts'
import { homePath } from '../../output/home-path.ts'
import { type Column, table } from '../../output/table.ts'
import { percent, toCell, sessionIds } from './format-call.ts'
import { readMappings } from './mappings.ts'
import { showCalls } from './show-calls.ts'

const usual = 20

const columns: readonly Column[] = [
  { title: 'FAILED', align: 'right' },
  { title: 'CALLS', align: 'right', from: 75 },
  { title: 'RATE', align: 'right' },
  { title: 'AGENT', from: 75 },
  { title: 'SESSION', least: 8 },
  { title: 'TOOL', least: 4 },
  { title: 'MOST OFTEN', least: 12 },
  { title: 'LAST' },
  { title: 'DOC', least: 8, cut: 'start', from: 90 },
]

/** Shows sessions in which one tool failed repeatedly. */
export async function showStruggling(input: Input, io: Io): Promise<number> {
  const { struggling } = await import('@remora/insights')
  const text = input.values['min-fails']
  const minFails = typeof text === 'string' ? countOption('min-fails', text) : 3
  return showCalls(input, io, { failed: false }, async ({ calls, failures, query, ledger }) => {
    const found = struggling(calls, failures, { minFails, mappings: await readMappings(io) })
    const shown = found.slice(0, query.limit ?? (input.values['json'] ? found.length : usual))
    return {
      json: shown.map(({ doc, ...about }) => ({ ...about, hasDoc: doc !== undefined, doc: doc ?? null })),
      async lines(paint, width) {
        if (shown.length === 0) return []
        const short = await sessionIds(ledger)
        return table(
          columns,
          shown.map((each) => ({ cells: toCells(each, short, io) })),
          width,
          paint,
        )
      },
      none:
        failures.length === 0
          ? undefined
          : `No tool failed ${minFails} times in one session.\n  Use a lower value: --min-fails ${Math.max(1, minFails - 1)}\n`,
    }
  })
}

function toCells(
  { failed, calls, rate, agent, session, tool, pattern, last, doc }: Struggle,
  short: (id: string) => string,
  io: Io,
): string[] {
  return [
    String(failed),
    String(calls),
    percent(rate, 1),
    agent,
    short(session),
    toCell(tool, 40),
    toCell(pattern.slice(tool.length + 2), 80),
    ago(last, Date.now()),
    doc === undefined ? '-' : homePath(doc, io.home),
  ]
}

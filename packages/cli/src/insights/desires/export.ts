import type { ExportRow } from '@remora/insights'
import type { Io } from '../../command/io.ts'
import type { Input } from '../../command/verb.ts'
import { readLedger } from '../../ledger/read-ledger.ts'
import { writeAll } from '../../output/write-all.ts'
import { readQuery } from './read-query.ts'

/** Exports calls as JSON or CSV. */
export async function exportCalls(input: Input, io: Io): Promise<number> {
  const { csvLines, desires, exportColumns, exportRow } = await import('@remora/insights')
  const { format = 'json', type = 'desires' } = input.values
  return readLedger(io, async (ledger) => {
    const query = await readQuery(input, io, ledger)
    const failed = type === 'desires'
    const found = await ledger.calls({
      ...query.calls,
      ...(failed ? { failed } : {}),
      records: format === 'json',
    })
    const chosen = failed
      ? desires(found).filter((failure) => query.classes?.includes(failure.class) ?? true)
      : found
    const latest = query.limit === undefined ? chosen : chosen.slice(-query.limit)
    // Written one by one, because a year of calls does not fit into one string.
    const rows = (function* rows(): Iterable<ExportRow> {
      for (const call of latest) yield exportRow(call)
    })()
    if (format === 'csv')
      return writeAll(io, csvLines(rows, exportColumns[failed ? 'desires' : 'invocations']))
    return writeAll(io, jsonLines(rows))
  })
}

/** A JSON array with one object per line. */
function* jsonLines(rows: Iterable<ExportRow>): Iterable<string> {
  let begun = false
  for (const row of rows) {
    yield `${begun ? ',\n' : '[\n'}${JSON.stringify(row)}`
    begun = true
  }
  yield begun ? '\n]\n' : '[]\n'
}

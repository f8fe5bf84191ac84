import type { ImportReport } from '@remora/intake'
import type { IndexProgress } from '@remora/ledger'
import { indexText } from '../ledger/index-text.ts'
import type { Io } from '../command/io.ts'
import { stopCode } from '../output/write-all.ts'
import { ledgerPlace } from '../ledger/ledger-location.ts'
import { formatDamage } from '../output/format-damage.ts'
import { plural, wholeNumber } from '../output/format-number.ts'
import type { Input } from '../command/verb.ts'
import { importAll, withLedger } from '../ledger/with-ledger.ts'

/** Imports, then makes the words searchable. Either can be stopped at any time and goes on from there. */
export async function importSessions(input: Input, io: Io): Promise<number> {
  const signal = io.stopped?.() ?? new AbortController().signal
  const agents = input.lists['agent']
  return withLedger(
    io,
    async (ledger) => {
      try {
        const report = await importAll(ledger, io, { signal, ...(agents ? { agents } : {}) })
        const text = input.values['no-index'] ? undefined : await indexText(ledger, io, signal)
        signal.throwIfAborted()
        if (input.values['json']) io.out(`${JSON.stringify(reportJson(report, text), null, 2)}\n`)
        else tell(report, text, { ...(await ledger.size()), place: await ledgerPlace(io) }, io)
        return 0
      } catch (error) {
        if (!signal.aborted) throw error
        if (signal.reason === 'SIGINT') io.err('\nStopped. To continue: remora import\n')
        return stopCode(signal)
      }
    },
    { current: false },
  )
}

function reportJson(
  { files, changed, events, archived, damaged }: ImportReport,
  text: IndexProgress | undefined,
) {
  return { files, changed, events, archived, damaged, text: text ?? null }
}

function tell(
  { files, changed, events, archived, damaged }: ImportReport,
  text: IndexProgress | undefined,
  { sessions, place }: { readonly sessions: number; readonly place: string },
  io: Io,
): void {
  const lines =
    files === 0
      ? ['Nothing to import: no agent sessions found.']
      : [
          changed === 0
            ? `No new events in ${plural(files, 'file')}.`
            : `Read ${plural(changed, 'file')} of ${wholeNumber(files)}: ${plural(events, 'new event')}.`,
        ]
  if (archived > 0) lines.push(`${plural(archived, 'session')} deleted by the agent, kept in the ledger.`)
  lines.push(`${plural(sessions, 'session')} in ${place}.`)
  if (text && text.done < text.total)
    lines.push(`Searchable: ${wholeNumber(text.done)} of ${plural(text.total, 'event')}.`)
  io.out(`${lines.join('\n')}\n`)
  if (damaged.length > 0) io.err(formatDamage(damaged, io.home).join(''))
}

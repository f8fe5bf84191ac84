import type { ImportReport } from '@remora/intake'
import type { IndexProgress } from '@remora/ledger'
import type { Io } from '../command/io.ts'
import type { Input, Verb } from '../command/verb.ts'
import { agentNames } from '../detection/agent-names.ts'
import { indexText } from '../ledger/index-text.ts'
import { ledgerPlace } from '../ledger/ledger-location.ts'
import { importAll, withLedger } from '../ledger/with-ledger.ts'
import { formatDamage } from '../output/format-damage.ts'
import { plural, wholeNumber } from '../output/format-number.ts'
import { stopCode } from '../output/write-all.ts'

export const importVerb: Verb = {
  name: 'import',
  description: 'Import all agent sessions into the ledger',
  positionals: [
    { name: 'file', description: 'With --from-dp: desire-path database (default: ~/.dp/desires.db)' },
  ],
  options: {
    'from-dp': {
      description: 'Import recorded calls, aliases and mappings from desire-path instead of sessions',
    },
    agent: {
      short: 'a',
      value: 'agent',
      choices: agentNames,
      many: true,
      description: `Only these agents: ${agentNames.join(', ')}`,
    },
    'no-index': { description: 'Skip the full-text index; the next search builds it' },
    json: { description: 'Print the result as a JSON object' },
  },
  examples: [
    'remora import',
    'remora import --agent gemini --agent claude',
    'remora import --no-index --json',
    'remora import --from-dp',
  ],
  async run(input, io) {
    if (input.values['from-dp'] || input.positionals.length > 0) {
      const { importFromDp } = await import('./import-dp.ts')
      return importFromDp(input, io)
    }
    return importSessions(input, io)
  },
}

/** Imports sessions, then builds the search index. Both can be interrupted and resumed. */
async function importSessions(input: Input, io: Io): Promise<number> {
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
        else printReport(report, text, { ...(await ledger.size()), place: await ledgerPlace(io) }, io)
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

function printReport(
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

import { sessions } from '@remora/sdk/transcripts'
import { findSession, headline } from '../../args/find-session.ts'
import { fail } from '../../command/errors.ts'
import type { Io } from '../../command/io.ts'
import type { Input } from '../../command/verb.ts'
import { agentTitle } from '../../detection/agent-names.ts'
import { readLedger } from '../../ledger/read-ledger.ts'
import { colors } from '../../output/colors.ts'
import { stopCode } from '../../output/write-all.ts'
import { ConversationPrinter } from './conversation-printer.ts'
import { EventPrinter } from './event-printer.ts'

/** Follows a session by the agent's files until it is stopped. */
export async function watchSession({ values, positionals, ...input }: Input, io: Io): Promise<number> {
  const agent = typeof values['agent'] === 'string' ? values['agent'] : undefined
  const entry = await readLedger(io, (ledger) => findSession(ledger, positionals[0]!, io, agent))
  if (entry.archivedAt !== undefined)
    throw await fail(
      'not_found',
      `${agentTitle(entry.agent)} deleted this session, so it cannot be watched`,
      `Read it: remora show ${entry.session}. Restore it: remora sessions restore ${entry.session}`,
    )
  const signal = io.stopped?.() ?? new AbortController().signal
  const from = values['from'] === 'start' ? 'start' : 'now'
  const paint = await colors({ ...input, values }, io)
  const printer = new ConversationPrinter((text) => io.out(text), {
    paint,
    thinking: values['thinking'] === true,
    terminal: io.terminal,
    columns: io.columns,
    cwd: entry.cwd ?? io.cwd,
  })
  const events = new EventPrinter(printer)
  if (!values['json'])
    io.err(
      `${paint.dim(`Watching ${headline(entry)} (${entry.agent} ${entry.session}). Press Ctrl+C to stop.`)}\n\n`,
    )
  const watch = sessions.watch(entry.session, {
    agent: entry.agent,
    from,
    signal,
    env: io.env,
    home: io.home,
  })
  for await (const event of watch) {
    if (signal.aborted) break
    if (values['json']) io.out(`${JSON.stringify(event)}\n`)
    else events.print(event)
    const full = io.drain?.()
    if (full) await full
  }
  printer.end()
  return stopCode(signal)
}

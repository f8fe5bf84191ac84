import type { SessionNotes } from '@remora/ledger'
import { findSession, headline } from '../args/find-session.ts'
import type { Io } from '../command/io.ts'
import type { Input } from '../command/verb.ts'
import { withLedger } from '../ledger/with-ledger.ts'
import { sessionJson } from './session-json.ts'

/** Notes down what a person says of a session. */
export async function annotate({ values, positionals }: Input, io: Io, notes: SessionNotes): Promise<number> {
  const agent = typeof values['agent'] === 'string' ? values['agent'] : undefined
  return withLedger(io, async (ledger) => {
    const entry = await findSession(ledger, positionals[0]!, io, agent)
    await ledger.annotate(entry, notes)
    const now = (await ledger.session(entry)) ?? entry
    if (values['json']) io.out(`${JSON.stringify(sessionJson(now), null, 2)}\n`)
    else io.out(`${saying(notes)}: ${headline(now)} (${now.agent} ${now.session})\n`)
    return 0
  })
}

function saying({ name, pinned, hidden }: SessionNotes): string {
  if (name !== undefined) return name === null ? 'Name removed' : 'Named'
  if (pinned !== undefined) return pinned ? 'Pinned' : 'Unpinned'
  return hidden ? 'Hidden' : 'Shown again'
}

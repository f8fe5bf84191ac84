import { archivedWords } from '../ledger/archived-events.ts'
import { agentTitle } from '../detection/agent-names.ts'
import { canAsk, saysYes } from '../command/confirm.ts'
import { fail, UsageError } from '../command/errors.ts'
import { findSession, headline } from '../args/find-session.ts'
import type { Io } from '../command/io.ts'
import { plural } from '../output/format-number.ts'
import type { Input } from '../command/verb.ts'
import { withLedger } from '../ledger/with-ledger.ts'

/** Deletes a session from the ledger, after asking. */
export async function forgetSession({ values, positionals }: Input, io: Io): Promise<number> {
  const agent = typeof values['agent'] === 'string' ? values['agent'] : undefined
  const [word = ''] = positionals
  // What cannot be taken back is not done to whatever happens to be the last one.
  if (word === 'latest')
    throw new UsageError(
      'remora sessions forget needs a session id',
      'Show the latest: remora sessions --limit 1',
    )
  return withLedger(io, async (ledger) => {
    const entry = await findSession(ledger, word, io, agent)
    const what = `${headline(entry)} (${entry.agent} ${entry.session}, ${plural(entry.messages, 'message')})`
    if (!values['yes'] && !(await agreed(what, entry.archivedAt !== undefined, io))) {
      io.err('Nothing was deleted.\n')
      return 1
    }
    const elsewhere = ledger.archiveOf ? [] : await archivedWords(ledger, entry, 'forget')
    if (!(await ledger.forget(entry)))
      throw await fail(
        'not_found',
        `Session "${entry.session}" no longer exists`,
        'List sessions: remora sessions',
      )
    if (values['json'])
      io.out(`${JSON.stringify({ id: entry.session, agent: entry.agent, forgotten: true })}\n`)
    else {
      io.out(`Deleted: ${what}\n`)
      if (entry.archivedAt === undefined)
        io.out(`${agentTitle(entry.agent)}’s own file is unchanged and will not be imported again.\n`)
    }
    // What is in a file of its own is out of reach from here.
    for (const line of elsewhere) io.err(`${line}\n`)
    return 0
  })
}

async function agreed(what: string, lastCopy: boolean, io: Io): Promise<boolean> {
  if (!canAsk(io))
    throw new UsageError(
      'Not a terminal, so Remora cannot ask for confirmation',
      'Pass --yes to confirm: remora sessions forget <session> --yes',
    )
  io.err(`Delete ${what}?\n`)
  io.err(
    lastCopy
      ? '  Its agent deleted it. This is the last copy, and you cannot undo this.\n'
      : '  The agent’s own file is kept, but will not be imported again.\n',
  )
  io.err('  Type y to delete it: ')
  return saysYes(io)
}

import { filterOptions } from '../args/filter-options.ts'
import { findSession, headline } from '../args/find-session.ts'
import { confirm } from '../command/confirm.ts'
import { fail, UsageError } from '../command/errors.ts'
import type { Io } from '../command/io.ts'
import type { Input, Verb } from '../command/verb.ts'
import { agentTitle } from '../detection/agent-names.ts'
import { describeArchives } from '../ledger/archived-events.ts'
import { withLedger } from '../ledger/with-ledger.ts'
import { plural } from '../output/format-number.ts'

export const forget: Verb = {
  name: 'forget',
  description: 'Delete a session from the ledger. The agent’s own file is kept',
  positionals: [{ name: 'session', required: true, description: 'Session id or prefix, or name' }],
  options: {
    yes: { short: 'y', description: 'Do not ask for confirmation' },
    agent: filterOptions.agent,
    json: { description: 'Print the deleted session as a JSON object' },
  },
  examples: ['remora sessions forget 3f2a9c1e', 'remora sessions forget 3f2a9c1e --yes'],
  run: forgetSession,
}

/** Deletes a session from the ledger, after asking. */
async function forgetSession({ values, positionals }: Input, io: Io): Promise<number> {
  const agent = typeof values['agent'] === 'string' ? values['agent'] : undefined
  const [word = ''] = positionals
  // Deletion cannot be undone, and `latest` may be another session by now.
  if (word === 'latest')
    throw new UsageError(
      'remora sessions forget needs a session id',
      'Show the latest: remora sessions --limit 1',
    )
  return withLedger(io, async (ledger) => {
    const entry = await findSession(ledger, word, io, agent)
    const what = `${headline(entry)} (${entry.agent} ${entry.session}, ${plural(entry.messages, 'message')})`
    if (!values['yes'] && !(await confirmDeletion(what, entry.archivedAt !== undefined, io))) {
      io.err('Nothing was deleted.\n')
      return 1
    }
    const elsewhere = ledger.archiveOf ? [] : await describeArchives(ledger, entry, 'forget')
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
    // Archive files are changed only when they are opened as the ledger.
    for (const line of elsewhere) io.err(`${line}\n`)
    return 0
  })
}

function confirmDeletion(what: string, lastCopy: boolean, io: Io): Promise<boolean> {
  const consequence = lastCopy
    ? 'Its agent deleted it. This is the last copy, and you cannot undo this.'
    : 'The agent’s own file is kept, but will not be imported again.'
  const question = `Delete ${what}?\n  ${consequence}\n  Type y to delete it: `
  return confirm(io, question, 'remora sessions forget <session> --yes')
}

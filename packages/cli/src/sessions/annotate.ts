import type { SessionNotes } from '@remora/ledger'
import { filterOptions, sessionArgument } from '../args/filter-options.ts'
import { findSession, headline } from '../args/find-session.ts'
import type { Io } from '../command/io.ts'
import type { Input, Verb } from '../command/verb.ts'
import { withLedger } from '../ledger/with-ledger.ts'
import { toSessionJson } from './session-json.ts'

export const nameVerb: Verb = {
  name: 'name',
  description: 'Name a session, or remove its name',
  positionals: [
    sessionArgument,
    { name: 'words', many: true, description: 'New name; leave it out to remove the name' },
  ],
  options: {
    agent: filterOptions.agent,
    json: { description: 'Print the session as a JSON object' },
  },
  examples: [
    'remora sessions name latest the login bug',
    'remora show "the login bug"',
    'remora sessions name latest',
  ],
  run(input, io) {
    return annotate(input, io, { name: input.positionals.slice(1).join(' ').trim() || null })
  },
}

export const pinVerb: Verb = {
  name: 'pin',
  description: 'Pin a session to the top of the list',
  positionals: [sessionArgument],
  options: {
    off: { description: 'Unpin it' },
    agent: filterOptions.agent,
    json: { description: 'Print the session as a JSON object' },
  },
  examples: ['remora sessions pin latest', 'remora sessions pin 3f2a9c1e --off'],
  run(input, io) {
    return annotate(input, io, { pinned: !input.values['off'] })
  },
}

export const hideVerb: Verb = {
  name: 'hide',
  description: 'Hide a session from the list. Nothing is deleted',
  positionals: [sessionArgument],
  options: {
    off: { description: 'Show it again' },
    agent: filterOptions.agent,
    json: { description: 'Print the session as a JSON object' },
  },
  examples: ['remora sessions hide 3f2a9c1e', 'remora sessions --all', 'remora sessions hide 3f2a9c1e --off'],
  run(input, io) {
    return annotate(input, io, { hidden: !input.values['off'] })
  },
}

/** Stores the name, pin or hidden state of a session. */
async function annotate({ values, positionals }: Input, io: Io, notes: SessionNotes): Promise<number> {
  const agent = typeof values['agent'] === 'string' ? values['agent'] : undefined
  return withLedger(io, async (ledger) => {
    const entry = await findSession(ledger, positionals[0]!, io, agent)
    await ledger.annotate(entry, notes)
    const now = (await ledger.session(entry)) ?? entry
    if (values['json']) io.out(`${JSON.stringify(toSessionJson(now), null, 2)}\n`)
    else io.out(`${formatNotes(notes)}: ${headline(now)} (${now.agent} ${now.session})\n`)
    return 0
  })
}

function formatNotes({ name, pinned, hidden }: SessionNotes): string {
  if (name !== undefined) return name === null ? 'Name removed' : 'Named'
  if (pinned !== undefined) return pinned ? 'Pinned' : 'Unpinned'
  return hidden ? 'Hidden' : 'Shown again'
}

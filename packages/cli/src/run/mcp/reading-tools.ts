import { mask } from '@remora/ledger'
import { fold } from '@remora/protocol/fold'
import { findSession, headline } from '../../args/find-session.ts'
import { describeArchives } from '../../ledger/archived-events.ts'
import { indexText } from '../../ledger/index-text.ts'
import { importChanges } from '../../ledger/with-ledger.ts'
import { everyEvent } from '../../sessions/show/conversation.ts'
import { markdown } from '../../sessions/show/markdown.ts'
import { type RemoraTool, amount, word } from './tool.ts'
import { agentNames } from '../../detection/agent-names.ts'

const agent = { type: 'string', description: `Only this agent: ${agentNames.join(', ')}` } as const
const cwd = { type: 'string', description: 'Only this folder and its subfolders' } as const
/** New messages should be found, but indexing must not delay the search for long. */
const buildMs = 2000
const textLength = 60_000

export const listSessions: RemoraTool = {
  name: 'list_sessions',
  description: 'Lists sessions of all coding agents on this computer, newest first.',
  readOnly: true,
  fields: {
    agent,
    cwd,
    limit: { type: 'number', description: 'Maximum number; 20 by default, 200 at most' },
  },
  async run(input, { ledger, io }) {
    await importChanges(ledger, io)
    const entries = await ledger.sessions({
      ...filter(input),
      limit: amount(input, 'limit', 20, 200),
    })
    return {
      sessions: entries.map((entry) => ({
        session: entry.session,
        agent: entry.agent,
        title: mask(headline(entry)),
        cwd: entry.cwd,
        model: entry.model,
        messages: entry.messages,
        updatedAt: new Date(entry.updatedAt).toISOString(),
      })),
    }
  },
}

export const search: RemoraTool = {
  name: 'search',
  description: 'Searches messages and tool calls in all sessions of all agents, newest first.',
  readOnly: true,
  fields: {
    text: {
      type: 'string',
      description: 'Words that must all match; "in quotes" is a phrase',
      required: true,
    },
    agent,
    cwd,
    limit: { type: 'number', description: 'Maximum number of results; 20 by default, 100 at most' },
  },
  async run(input, { ledger, io, signal }) {
    await importChanges(ledger, io)
    await indexText(ledger, io, AbortSignal.any([signal, AbortSignal.timeout(buildMs)]))
    const hits = await ledger.search({
      text: word(input, 'text')!,
      ...filter(input),
      limit: amount(input, 'limit', 20, 100),
    })
    return {
      hits: hits.map(({ agent, session, kind, at, snippet, title, cwd }) => ({
        session,
        agent,
        kind,
        at: new Date(at).toISOString(),
        title: title === undefined ? undefined : mask(title),
        cwd,
        snippet: mask(snippet),
      })),
    }
  },
}

export const readSession: RemoraTool = {
  name: 'read_session',
  description:
    'Reads a session as Markdown: messages, tool calls and results. Known secret formats are masked.',
  readOnly: true,
  fields: {
    session: {
      type: 'string',
      description: 'Session id or prefix, name, or latest',
      required: true,
    },
    agent,
    last: { type: 'number', description: 'Number of latest messages; 40 by default, 400 at most' },
  },
  async run(input, { ledger, io }) {
    await importChanges(ledger, io)
    const entry = await findSession(ledger, word(input, 'session')!, io, word(input, 'agent'))
    const messages = fold(await everyEvent(ledger, entry)).filter(({ context }) => !context)
    const shown = messages.slice(-amount(input, 'last', 40, 400))
    const head = {
      agent: entry.agent,
      id: entry.session,
      title: headline(entry),
      cwd: entry.cwd,
      events: [],
      damaged: [],
      elsewhere: await describeArchives(ledger, entry, 'show'),
    }
    const text = mask([...markdown(head, shown, { thinking: false, home: io.home })].join(''))
    const left = messages.length - shown.length
    const before = left > 0 ? `(${left} earlier messages omitted; set last to see more.)\n\n` : ''
    // The end of a session shows its current state.
    return before + (text.length > textLength ? `(Beginning omitted.)\n…${text.slice(-textLength)}` : text)
  },
}

function filter(input: Parameters<RemoraTool['run']>[0]): { agent?: string; cwd?: string } {
  const [only, folder] = [word(input, 'agent'), word(input, 'cwd')]
  return { ...(only === undefined ? {} : { agent: only }), ...(folder === undefined ? {} : { cwd: folder }) }
}

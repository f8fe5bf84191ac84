import type { Ledger, SessionEntry } from '@remora/ledger'
import { fail, UsageError } from '../command/errors.ts'
import type { Io } from '../command/io.ts'
import { findLiveRecord } from '../ledger/server-records.ts'
import { ago } from '../output/format-time.ts'
import { oneLine } from '../output/one-line.ts'
import { realFolder } from './filter-options.ts'
import { exampleAgent } from '../detection/agent-names.ts'

/** Hint for an empty ledger. */
export const noSessionsHint = `Start one: remora run ${exampleAgent} "Hello". Check agents: remora doctor`

/**
 * Finds a session by id, unique id prefix, live session id, or name. `latest` is the newest in this folder, or of all
 * folders if this one has none.
 *
 * @example const entry = await findSession(ledger, 'latest', io)
 */
export async function findSession(
  ledger: Ledger,
  word: string,
  io: Io,
  agent?: string,
): Promise<SessionEntry> {
  const only = agent === undefined ? {} : { agent }
  if (word === 'latest') {
    const [here] = await ledger.sessions({ ...only, cwd: realFolder(io.cwd), limit: 1 })
    const [latest] = here ? [here] : await ledger.sessions({ ...only, limit: 1 })
    if (latest) {
      // Another session may be the latest in the next command, so the user sees which one this is.
      if (io.errorTerminal) io.err(`latest: ${latest.agent} ${latest.session}\n`)
      return latest
    }
    throw await fail('not_found', `No sessions${of(agent)} yet`, noSessionsHint)
  }
  const live = await findLiveRecord(ledger, word)
  if (live && (agent === undefined || live.agent === agent)) {
    const [entry] = await ledger.sessions({
      agent: live.agent,
      idPrefix: live.session,
      hidden: true,
      empty: true,
    })
    if (entry?.session === live.session) return entry
    throw await fail('not_found', `${word} has no messages yet`, `Open its terminal: remora attach ${word}`)
  }
  const begun =
    word === '' ? [] : await ledger.sessions({ ...only, idPrefix: word, hidden: true, empty: true })
  const exact = begun.filter(({ session }) => session === word)
  // A name can also be the prefix of another session's id, so both count as matches.
  const fitting = exact.length > 0 ? exact : [...begun, ...(await named(ledger, word, only))].filter(isFirst)
  if (fitting.length === 1) return fitting[0]!
  if (fitting.length > 1) throw ambiguous(word, fitting)
  throw await fail('not_found', `No session "${word}"${of(agent)}`, 'List sessions: remora sessions')
}

function isFirst(entry: SessionEntry, index: number, all: readonly SessionEntry[]): boolean {
  return all.findIndex(({ agent, session }) => agent === entry.agent && session === entry.session) === index
}

async function named(ledger: Ledger, word: string, only: { agent?: string }): Promise<SessionEntry[]> {
  const wanted = word.trim().toLowerCase()
  if (wanted === '') return []
  const all = await ledger.sessions({ ...only, hidden: true })
  return all.filter(({ name }) => name?.toLowerCase() === wanted)
}

const candidates = 6

function ambiguous(word: string, entries: readonly SessionEntry[]): UsageError {
  const now = Date.now()
  const lines = entries
    .slice(0, candidates)
    .map(
      ({ session, agent, updatedAt, ...about }) =>
        `${session}  ${agent}, ${ago(updatedAt, now)}: ${headline(about)}`,
    )
  const more = entries.length > candidates ? [`… and ${entries.length - candidates} more`] : []
  const twins = new Set(entries.map(({ session }) => session)).size < entries.length
  return new UsageError(
    `"${word}" matches ${entries.length} sessions`,
    [twins ? 'Choose one with --agent:' : 'Use a longer id:', ...lines, ...more].join('\n  '),
  )
}

/** The session's name, its agent's title, or its first prompt. */
export function headline({
  name,
  title,
  firstPrompt,
}: Pick<SessionEntry, 'name' | 'title' | 'firstPrompt'>): string {
  return oneLine(name ?? title ?? firstPrompt ?? '', 200) || '(no messages)'
}

function of(agent: string | undefined): string {
  return agent === undefined ? '' : ` for ${agent}`
}

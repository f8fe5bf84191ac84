import type { LiveInfo } from '@remora/protocol/plain'
import { agentTitle } from '../detection/agent-names.ts'
import { fail, UsageError } from '../command/errors.ts'
import type { Io } from '../command/io.ts'
import { oneLine } from '../output/one-line.ts'
import { askServer } from './server-client.ts'

/** Live sessions. Right after a restart the server answers when it has reattached to them. */
export async function liveSessions(io: Io, signal?: AbortSignal): Promise<LiveInfo[]> {
  const { live } = await askServer(io).get('/api/live', { query: { settled: 'true' }, signal })
  return live
}

/** Of one that has ended it is said why, where that is known: for who began nothing there is nothing to read. */
export async function mustGoOn(live: LiveInfo): Promise<void> {
  const { id, agent, state, detail, session, title } = live
  if (state !== 'ended') return
  throw await fail(
    'not_found',
    `${agentTitle(agent)} ${id} has ended${detail === undefined ? '' : `: ${ending(detail)}`}`,
    title === undefined ? `Start another: remora new ${agent}` : `Read it: remora show ${session}`,
  )
}

/** Many programs list all that they know before they say what was wrong. */
function ending(words: string, most = 300): string {
  const text = oneLine(words, Infinity)
  return text.length > most ? `…${text.slice(-most)}` : text
}

/**
 * The live session that a word means: its id, the agent's own id, the beginning of one that no other has, the name of
 * an agent of which one runs, or `latest`.
 *
 * @example const live = await findLive(io, 'latest')
 */
export async function findLive(io: Io, word: string): Promise<LiveInfo> {
  const all = await liveSessions(io)
  const going = all.filter(({ state }) => state !== 'ended')
  if (going.length === 0) throw await fail('not_found', 'No live sessions', 'Start one: remora new gemini')
  // A word that means any means one of this machine, if there is one.
  const nearest = (some: readonly LiveInfo[]): readonly LiveInfo[] =>
    some.some(({ node }) => !node) ? some.filter(({ node }) => !node) : some
  if (word === 'latest') return nearest(going).toSorted((left, right) => right.startedAt - left.startedAt)[0]!
  const exact = all.filter(({ id, session }) => id === word || session === word)
  const [only] = exact
  if (only) return only
  const begun = going.filter(
    ({ id, session }) => id.startsWith(word) || id.startsWith(`l-${word}`) || session.startsWith(word),
  )
  const fitting = begun.length > 0 ? begun : nearest(going.filter(({ agent }) => agent === word))
  if (fitting.length === 1) return fitting[0]!
  if (fitting.length > 1)
    throw new UsageError(
      `"${word}" matches ${fitting.length} sessions`,
      ['Choose one:', ...fitting.map(({ id, agent, cwd }) => `${id}  ${agent}, ${cwd}`)].join('\n  '),
    )
  throw await fail('not_found', `No live session "${word}"`, 'List live sessions: remora ls')
}

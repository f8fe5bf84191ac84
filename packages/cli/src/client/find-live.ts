import type { LiveInfo } from '@remora/protocol/plain'
import { agentTitle, exampleAgent } from '../detection/agent-names.ts'
import { fail, UsageError } from '../command/errors.ts'
import type { Io } from '../command/io.ts'
import { oneLine } from '../output/one-line.ts'
import { askServer } from './server-client.ts'

/** Live sessions. Right after a restart the server answers when it has reattached to them. */
export async function liveSessions(io: Io, signal?: AbortSignal): Promise<LiveInfo[]> {
  const { live } = await askServer(io).get('/api/live', { query: { settled: 'true' }, signal })
  return live
}

/** Throws if the session has ended, with the reason if known. */
export async function requireRunning(live: LiveInfo): Promise<void> {
  const { id, agent, state, detail, session, title } = live
  if (state !== 'ended') return
  const other = title === undefined ? `Start another: remora new ${agent}` : `Read it: remora show ${session}`
  throw await fail(
    'not_found',
    `${agentTitle(agent)} ${id} has ended${detail === undefined ? '' : `: ${cutToEnd(detail)}`}`,
    formatResume(live) ?? other,
  )
}

/** How to resume an ended session; undefined if it has no conversation yet, or may not be resumable. */
export function formatResume({ id, agent, session, channel, title }: LiveInfo): string | undefined {
  if (channel === 'acp' || title === undefined || session === id) return undefined
  return `Resume it: remora new ${agent} --resume ${session}`
}

/** Keeps the end of a long text, because many programs print the cause last. */
function cutToEnd(text: string, limit = 300): string {
  const line = oneLine(text, Infinity)
  return line.length > limit ? `…${line.slice(-limit)}` : line
}

/**
 * Finds a live session by its id, the agent's own id, a unique prefix of one, the name of an agent with one session, or
 * `latest`.
 *
 * @example const live = await findLive(io, 'latest')
 */
export async function findLive(io: Io, word: string): Promise<LiveInfo> {
  const all = await liveSessions(io)
  const running = all.filter(({ state }) => state !== 'ended')
  const exact = all.find(({ id, session }) => id === word || session === word)
  if (exact) return exact
  if (running.length === 0)
    throw await fail('not_found', 'No live sessions', `Start one: remora new ${exampleAgent}`)
  // Sessions of this machine come first.
  const preferLocal = (some: readonly LiveInfo[]): readonly LiveInfo[] =>
    some.some(({ node }) => !node) ? some.filter(({ node }) => !node) : some
  if (word === 'latest')
    return preferLocal(running).toSorted((left, right) => right.startedAt - left.startedAt)[0]!
  const byPrefix = running.filter(
    ({ id, session }) => id.startsWith(word) || id.startsWith(`l-${word}`) || session.startsWith(word),
  )
  const matches = byPrefix.length > 0 ? byPrefix : preferLocal(running.filter(({ agent }) => agent === word))
  if (matches.length === 1) return matches[0]!
  if (matches.length > 1)
    throw new UsageError(
      `"${word}" matches ${matches.length} sessions`,
      ['Choose one:', ...matches.map(({ id, agent, cwd }) => `${id}  ${agent}, ${cwd}`)].join('\n  '),
    )
  throw await fail('not_found', `No live session "${word}"`, 'List live sessions: remora ls')
}

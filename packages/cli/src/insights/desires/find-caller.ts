import type { Ledger } from '@remora/ledger'
import { findSession } from '../../args/find-session.ts'
import type { Io } from '../../command/io.ts'
import { UsageError } from '../../command/errors.ts'

/**
 * The session that a word means, also one of which only calls are known: hooks tell of calls before anybody has said a
 * word, and other recorders tell of nothing else.
 *
 * @example const { agent, session } = await findCaller(ledger, 's2', io)
 */
export async function findCaller(
  ledger: Ledger,
  word: string,
  io: Io,
  agent?: string,
): Promise<{ readonly agent: string; readonly session: string }> {
  if (word !== 'latest' && word !== '') {
    const only = agent === undefined ? {} : { agent }
    const begun = await ledger.sessions({ ...only, idPrefix: word, hidden: true, empty: true })
    const exact = begun.filter(({ session }) => session === word)
    if (exact.length === 1) return exact[0]!
    // With a conversation in it, a name may be meant as well, and that is for others to say.
    const silent = (await ledger.sessions({ ...only, idPrefix: word, hidden: true })).length === 0
    if (silent && begun.length === 1) return begun[0]!
    if (silent && begun.length > 1)
      throw new UsageError(
        `"${word}" matches ${begun.length} sessions`,
        `Use a longer id, or --agent: ${begun
          .slice(0, 6)
          .map(({ session, agent: whose }) => `${session} (${whose})`)
          .join(', ')}`,
      )
  }
  return findSession(ledger, word, io, agent)
}

import type { CallsQuery, Ledger } from '@remora/ledger'
import { type FailureClass, failureClasses } from '@remora/protocol/plain'
import { type Filter, readFilter } from '../../args/filter-options.ts'
import { findSession } from '../../args/find-session.ts'
import { countOption } from '../../args/time-option.ts'
import { UsageError } from '../../command/errors.ts'
import type { Io } from '../../command/io.ts'
import type { Input } from '../../command/verb.ts'

/** The calls that the command line selects. */
export interface Query {
  readonly calls: Omit<CallsQuery, 'failed' | 'limit' | 'records'>
  readonly classes: readonly FailureClass[] | undefined
  readonly limit: number | undefined
  /** Whether a filter is set. */
  readonly filtered: boolean
}

export async function readQuery(input: Input, io: Io, ledger: Ledger): Promise<Query> {
  const { limit: _, ...filter }: Filter = readFilter(input, io)
  checkSpan(filter)
  const { tool, session, category, top, limit = top } = input.values
  const classes = readClasses(category)
  const found = typeof session === 'string' ? await findCaller(ledger, session, io, filter.agent) : undefined
  const calls = {
    ...filter,
    ...(typeof tool === 'string' ? { tool } : {}),
    ...(found ? { session: { agent: found.agent, session: found.session } } : {}),
  }
  return {
    calls,
    classes,
    limit: typeof limit === 'string' ? countOption(top === undefined ? 'limit' : 'top', limit) : undefined,
    filtered: Object.keys(calls).length > 0 || classes !== undefined,
  }
}

/** Refuses a --since that is later than --until. */
export function checkSpan({ since, until }: Filter): void {
  if (since !== undefined && until !== undefined && since > until)
    throw new UsageError('--since is later than --until', 'Swap the two times')
}

function readClasses(text: unknown): FailureClass[] | undefined {
  if (typeof text !== 'string') return undefined
  const words = text.split(',').map((word) => word.trim())
  const wrong = words.find((word) => !(failureClasses as readonly string[]).includes(word))
  if (wrong !== undefined)
    throw new UsageError(
      `Invalid value "${wrong}" for --category`,
      `One or more of: ${failureClasses.join(', ')}`,
    )
  return words as FailureClass[]
}

/**
 * Finds a session, also one that has only calls: hooks can report calls before the first message, and other recorders
 * report only calls.
 *
 * @example const { agent, session } = await findCaller(ledger, 's2', io)
 */
async function findCaller(
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
    // If a session with messages matches, findSession decides, since the word may also be a name.
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

import type { FailureClass } from '@remora/insights'
import type { CallsQuery, Ledger } from '@remora/ledger'
import { type Filter, readFilter } from '../../args/filter-options.ts'
import type { Io } from '../../command/io.ts'
import { countOption } from '../../args/time-option.ts'
import { UsageError } from '../../command/errors.ts'
import type { Input } from '../../command/verb.ts'
import { findCaller } from './find-caller.ts'

// Written out, since help must not wait for the ledger; a test holds it against the classes.
export const categories = [
  'unknown-tool',
  'wrong-argument',
  'wrong-path',
  'missing-command',
  'missing-env',
  'permission-denied',
  'timeout',
  'network',
  'test-failure',
  'edit-mismatch',
  'other',
]

/** What the command line says of which calls are meant. */
export interface Query {
  readonly calls: Omit<CallsQuery, 'failed' | 'limit' | 'records'>
  readonly classes: readonly FailureClass[] | undefined
  readonly limit: number | undefined
  /** Whether anything was left out. */
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

/** Time runs one way: nothing is between a later and an earlier time. */
export function checkSpan({ since, until }: Filter): void {
  if (since !== undefined && until !== undefined && since > until)
    throw new UsageError('--since is later than --until', 'Swap the two times')
}

function readClasses(text: unknown): FailureClass[] | undefined {
  if (typeof text !== 'string') return undefined
  const words = text.split(',').map((word) => word.trim())
  const wrong = words.find((word) => !categories.includes(word))
  if (wrong !== undefined)
    throw new UsageError(
      `Invalid value "${wrong}" for --category`,
      `One or more of: ${categories.join(', ')}`,
    )
  return words as FailureClass[]
}

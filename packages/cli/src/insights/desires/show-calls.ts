import type { Desire } from '@remora/insights'
import { type CallEntry, type Ledger, maskAll } from '@remora/ledger'
import type { Io } from '../../command/io.ts'
import type { Input } from '../../command/verb.ts'
import { readLedger } from '../../ledger/read-ledger.ts'
import { type Colors, colors } from '../../output/colors.ts'
import { writeAll } from '../../output/write-all.ts'
import { type Query, readQuery } from './read-query.ts'

/** The selected calls, and those of them that failed. */
export interface Seen {
  readonly ledger: Ledger
  readonly calls: readonly CallEntry[]
  readonly failures: readonly Desire[]
  readonly query: Query
}

/** The result of an action: lines, or JSON. */
export interface Answer {
  readonly json: unknown
  /** Empty if there is nothing to show; then `none` is printed. */
  lines(paint: Colors, width: number): Promise<string[]> | string[]
  /** Printed if there are no lines (default: how to record calls). */
  readonly none?: string | undefined
}

/**
 * Reads the selected calls and prints the result of `find`.
 *
 * @example return showCalls(input, io, { failed: true }, ({ failures }) => answer(failures))
 */
export async function showCalls(
  input: Input,
  io: Io,
  { failed }: { readonly failed: boolean },
  find: (seen: Seen) => Promise<Answer> | Answer,
): Promise<number> {
  return readLedger(io, async (ledger) => {
    const query = await readQuery(input, io, ledger)
    const { desires } = await import('@remora/insights')
    const calls = await ledger.calls({ ...query.calls, ...(failed ? { failed } : {}) })
    const failures = desires(calls).filter((failure) => query.classes?.includes(failure.class) ?? true)
    const answer = await find({ ledger, calls, failures, query })
    if (input.values['json'])
      return writeAll(io, [`${JSON.stringify(withIsoDates(maskAll(answer.json)), null, 2)}\n`])
    const lines = await answer.lines(await colors(input, io), io.columns ?? 1000)
    if (lines.length === 0) io.err(answer.none ?? (await explainNone(ledger, query)))
    return writeAll(
      io,
      lines.map((line) => `${line}\n`),
    )
  })
}

const timeNames = new Set(['at', 'endedAt', 'first', 'last', 'createdAt'])

/** Copies a result with its times as ISO 8601. The input of a call is the agent's and stays as it is. */
function withIsoDates(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withIsoDates)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, each]: [string, unknown]) => {
      if (typeof each === 'number' && timeNames.has(name)) return [name, new Date(each).toISOString()]
      return [name, name === 'input' ? each : withIsoDates(each)]
    }),
  )
}

/** Explains why there are no results, and what to do. */
export async function explainNone(ledger: Ledger, { filtered }: Pick<Query, 'filtered'>): Promise<string> {
  const [all] = await ledger.countCalls()
  if ((all?.calls ?? 0) === 0)
    return 'No tool calls recorded yet.\n  Import past sessions: remora import. Record new calls: remora hooks install\n'
  if (filtered && (all?.failed ?? 0) > 0)
    return 'No failures match.\n  Remove a filter, or show all: remora desires\n'
  return `No failures in ${all!.calls} calls.\n  Record calls as they happen: remora hooks install\n`
}

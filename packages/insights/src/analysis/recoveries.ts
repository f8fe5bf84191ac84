import type { CallEntry } from '@remora/ledger'
import type { Desire } from './desire.ts'
import type { FailureClass } from '../classify/failure-class.ts'
import { type InputChange, type InputWords, alike, inputChanges, inputWords } from './input-change.ts'
import { getSessionKey } from './tally.ts'

/** A failure that was followed by a successful attempt. */
export interface Recovery {
  readonly agent: string
  readonly session: string
  readonly tool: string
  readonly pattern: string
  readonly class: FailureClass
  /** The last attempt that failed, and the one that did not. */
  readonly failure: Desire
  readonly success: CallEntry
  /** How many attempts failed. */
  readonly attempts: number
  /** The number of calls of any tool from the first failure to the success. */
  readonly calls: number
  readonly durationMs: number
  /** The differences between the last failed input and the successful one; empty for a retry of the same input. */
  readonly changes: readonly InputChange[]
}

/** The most calls between two attempts at the same thing. */
const reach = 40
/** The most open attempts per tool. */
const most = 8

interface Open {
  readonly failures: Desire[]
  /** The input of the last failure. */
  words: InputWords
  readonly index: number
  readonly turn: number
}

/**
 * Failures that were followed in the same turn by a success of the same tool with a similar input, the latest first.
 * After another prompt the agent may work on something else.
 *
 * @example const all = await ledger.calls(); recoveries(all, desires(all))
 */
export function recoveries(calls: readonly CallEntry[], failures: readonly Desire[]): Recovery[] {
  const known = new Map(failures.map((failure) => [failure.id, failure]))
  const found: Recovery[] = []
  for (const session of bySession(calls).values())
    for (const each of inSession(session, known)) found.push(each)
  return found.sort((one, other) => other.success.at - one.success.at)
}

function bySession(calls: readonly CallEntry[]): Map<string, CallEntry[]> {
  const sessions = new Map<string, CallEntry[]>()
  for (const call of calls) {
    const list = sessions.get(getSessionKey(call))
    if (list) list.push(call)
    else sessions.set(getSessionKey(call), [call])
  }
  for (const list of sessions.values()) list.sort((one, other) => one.at - other.at || one.id - other.id)
  return sessions
}

function inSession(calls: readonly CallEntry[], known: ReadonlyMap<number, Desire>): Recovery[] {
  const found: Recovery[] = []
  const open = new Map<string, Open[]>()
  for (const [index, call] of calls.entries()) {
    const waiting = (open.get(call.tool) ?? [])
      .filter((each) => each.turn === call.turn && index - each.index <= reach)
      .slice(-most)
    const failure = known.get(call.id)
    if (!failure && waiting.length === 0) continue
    const words = inputWords(call.input)
    const near = waiting.findLast((each) => alike(each.words, words))
    if (failure) {
      if (near) near.failures.push(failure)
      else waiting.push({ failures: [failure], words, index, turn: call.turn })
      if (near) near.words = words
    } else if (near && call.status === 'success') {
      found.push(recovery(near, call, index))
      waiting.splice(waiting.indexOf(near), 1)
    }
    open.set(call.tool, waiting)
  }
  return found
}

function recovery({ failures, index }: Open, success: CallEntry, at: number): Recovery {
  const failure = failures.at(-1)!
  return {
    agent: success.agent,
    session: success.session,
    tool: success.tool,
    pattern: failure.pattern,
    class: failure.class,
    failure,
    success,
    attempts: failures.length,
    calls: at - index,
    durationMs: Math.max(0, (success.endedAt ?? success.at) - failures[0]!.at),
    changes: inputChanges(failure.input, success.input),
  }
}

/** How often and how fast agents recovered from one class of failure. */
export interface RecoveryStats {
  readonly class: FailureClass
  readonly failures: number
  /** How many of them were followed by a success in the same turn. */
  readonly recovered: number
  readonly averageCalls: number
  readonly averageMs: number
}

/**
 * How often agents recover from failures, and how many calls it takes, by class.
 *
 * @example recoveryStats(failures, recoveries(all, failures))
 */
export function recoveryStats(failures: readonly Desire[], recovered: readonly Recovery[]): RecoveryStats[] {
  const classes = new Map<FailureClass, { failures: number; list: Recovery[] }>()
  const of = (kind: FailureClass) => {
    const entry = classes.get(kind) ?? { failures: 0, list: [] }
    classes.set(kind, entry)
    return entry
  }
  for (const failure of failures) of(failure.class).failures++
  for (const each of recovered) of(each.class).list.push(each)
  const average = (list: readonly number[]) =>
    list.length === 0 ? 0 : Math.round((list.reduce((sum, each) => sum + each, 0) / list.length) * 10) / 10
  return [...classes]
    .map(([kind, { failures: count, list }]) => ({
      class: kind,
      failures: count,
      recovered: list.reduce((sum, { attempts }) => sum + attempts, 0),
      averageCalls: average(list.map(({ calls }) => calls)),
      averageMs: Math.round(average(list.map(({ durationMs }) => durationMs))),
    }))
    .sort((one, other) => other.failures - one.failures)
}

import type { CallEntry, SessionKey } from '@remora/ledger'
import type { ModeLike } from '@remora/protocol/plain'
import { getSessionKey } from '../analysis/tally.ts'
import { getCommandLine } from '../classify/classify.ts'
import { type Risk, type RiskLevel, findRisks, isEditing, riskLevels } from './risks.ts'

/** Why a call ran without a person's answer, and what that means. */
export const unaskedReasons = {
  rule: 'a rule of yours allowed it',
  always: 'you had chosen "always" for such calls',
  acceptEdits: 'the mode accepts edits',
  auto: 'in this mode a model decides',
  bypass: 'the mode runs everything',
  free: 'it changes nothing, so no agent asks for it',
  unknown: 'no answer was seen',
} as const
/** Why a call ran without a person's answer. */
export type UnaskedReason = keyof typeof unaskedReasons

/** A decision of the audit log about one request. */
export interface Decision extends SessionKey {
  /** When it was answered. */
  readonly at: number
  /** The call that the request named, and its tool. */
  readonly call?: string
  readonly tool?: string
  /** The input of the request, as far as it was shown. */
  readonly input?: unknown
  readonly effect: 'allow' | 'allow_always' | 'deny'
  /** The rule that decided; absent if a person did. */
  readonly rule?: string
}

/** A session that switched its mode. */
export interface ModeChange extends SessionKey {
  readonly at: number
  readonly like: ModeLike | undefined
}

/** A call that no person decided about. */
export interface UnaskedCall {
  readonly call: CallEntry
  readonly reason: UnaskedReason
  /** The rule, if a rule decided. */
  readonly rule?: string
  readonly level: RiskLevel
  readonly risks: readonly Risk[]
}

/** What ran, and what was blocked, without a person's answer. */
export interface UnaskedReport {
  /** The riskiest first, then the latest. */
  readonly ran: readonly UnaskedCall[]
  /** Calls that a rule, a classifier, a policy or a sandbox refused. */
  readonly blocked: readonly UnaskedCall[]
  /** The number of calls that a person decided about. */
  readonly answered: number
  /** The number of calls that were looked at. */
  readonly calls: number
}

/**
 * The calls that ran or were blocked without a person's answer, each with the reason where the channels show it. A call
 * that was approved where no channel was watching has the reason `unknown`. Calls that have not ended or were cancelled
 * are left out.
 *
 * @example findUnasked(await ledger.calls({ since }), decisions, modes).ran[0]?.risks
 */
export function findUnasked(
  calls: readonly CallEntry[],
  decisions: readonly Decision[],
  modes: readonly ModeChange[],
): UnaskedReport {
  const decided = matchDecisions(calls, decisions)
  const always = groupBySession(decisions.filter(({ effect, rule }) => effect === 'allow_always' && !rule))
  const switches = groupBySession(modes)
  const ran: UnaskedCall[] = []
  const blocked: UnaskedCall[] = []
  let answered = 0
  for (const call of calls) {
    // It may be waiting for an answer, or may have been interrupted while it did.
    if (call.status === 'running' || call.status === 'cancelled') continue
    const decision = decided.get(call)
    if (decision && decision.rule === undefined) {
      answered++
      continue
    }
    const risks = findRisks(call)
    const level = risks[0]?.level ?? 'none'
    const about = { call, level, risks }
    if (call.status === 'denied') {
      const rule = decision?.rule
      blocked.push({ ...about, ...(rule === undefined ? { reason: 'unknown' } : { reason: 'rule', rule }) })
    } else if (decision?.rule !== undefined) ran.push({ ...about, reason: 'rule', rule: decision.rule })
    else {
      const key = getSessionKey(call)
      const like = (switches.get(key) ?? []).findLast(({ at }) => at <= call.at)?.like
      const isAlways = (always.get(key) ?? []).some((each) => each.at < call.at && covers(each, call))
      ran.push({ ...about, reason: findReason(call, risks, like, isAlways) })
    }
  }
  return { ran: ran.sort(compare), blocked: blocked.sort(compare), answered, calls: calls.length }
}

function findReason(
  { tool }: CallEntry,
  risks: readonly Risk[],
  like: ModeLike | undefined,
  isAlways: boolean,
): UnaskedReason {
  if (risks.length === 0) return 'free'
  if (like === 'bypass' || like === 'auto') return like
  // No agent accepts edits of other folders by its mode alone.
  const isInside = !risks.some(({ id }) => id === 'outside')
  if (like === 'acceptEdits' && isEditing(tool) && isInside) return like
  return isAlways ? 'always' : 'unknown'
}

/**
 * Whether "always" was chosen for calls like this one: of the same tool, and for a shell of the same program. Agents differ
 * in what they then allow, and none allows other programs.
 */
function covers({ tool, input }: Decision, call: CallEntry): boolean {
  if (tool !== call.tool) return false
  if (tool !== 'Bash') return true
  const [allowed, used] = [input, call.input].map((each) => getCommandLine(each)?.trim().split(/\s+/)[0])
  return allowed !== undefined && allowed === used
}

/** How long a call may be reported after the answer that let it run, and an answer after the call's end. */
const slackMs = 60_000

/** Finds the decision about each call: by the call that the request named, or else by tool and time. */
function matchDecisions(
  calls: readonly CallEntry[],
  decisions: readonly Decision[],
): Map<CallEntry, Decision> {
  const found = new Map<CallEntry, Decision>()
  const bySession = groupBySession(calls)
  const unnamed: Decision[] = []
  for (const decision of decisions) {
    const own = bySession.get(getSessionKey(decision)) ?? []
    const named = own.find(({ entity }) => entity === decision.call)
    if (named) {
      // An answer of a person counts more than a rule that decided about the same call on another channel.
      if (found.get(named)?.rule !== undefined || !found.has(named)) found.set(named, decision)
    } else unnamed.push(decision)
  }
  for (const decision of unnamed) {
    const { at, tool } = decision
    const fitting = (bySession.get(getSessionKey(decision)) ?? []).filter(
      (call) =>
        !found.has(call) &&
        (tool === undefined || tool === call.tool) &&
        at >= call.at - slackMs &&
        at <= (call.endedAt ?? Infinity) + slackMs,
    )
    const [nearest] = fitting.sort((one, other) => Math.abs(one.at - at) - Math.abs(other.at - at))
    if (nearest) found.set(nearest, decision)
  }
  return found
}

function groupBySession<T extends SessionKey>(entries: readonly T[]): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const entry of entries) {
    const key = getSessionKey(entry)
    const group = groups.get(key)
    if (group) group.push(entry)
    else groups.set(key, [entry])
  }
  return groups
}

function compare(one: UnaskedCall, other: UnaskedCall): number {
  return (
    riskLevels.indexOf(one.level) - riskLevels.indexOf(other.level) ||
    other.call.at - one.call.at ||
    other.call.id - one.call.id
  )
}

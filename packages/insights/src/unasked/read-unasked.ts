import { setImmediate as yieldToLoop } from 'node:timers/promises'
import type { AuditEntry, CallsQuery, Ledger, SessionKey } from '@remora/ledger'
import type { Answer, Ask, ModeLike } from '@remora/protocol/plain'
import { type Decision, type ModeChange, type UnaskedReport, findUnasked } from './unasked.ts'

/** What the word for a mode means for an agent, which this package does not know. */
export type FindLike = (agent: string, mode: string | undefined) => ModeLike | undefined

/**
 * Reads calls, decisions and modes from the ledger, and reports what ran without a person's answer.
 *
 * @example await readUnasked(ledger, { since }, (agent, mode) => toModeLike(mode))
 */
export async function readUnasked(
  ledger: Ledger,
  query: CallsQuery,
  findLike: FindLike,
): Promise<UnaskedReport> {
  const calls = await ledger.calls(query)
  const sessions = new Map(
    calls.map(({ agent, session }) => [JSON.stringify([agent, session]), { agent, session }]),
  )
  const decisions = (await ledger.audit.read()).flatMap((entry) => toDecision(entry) ?? [])
  const modes: ModeChange[] = []
  for (const session of sessions.values()) {
    modes.push(...(await readModes(ledger, session, findLike)))
    await yieldToLoop()
  }
  return findUnasked(calls, decisions, modes)
}

function toDecision({ what, at, agent, session, detail }: AuditEntry): Decision | undefined {
  const { ask, answer } = (detail ?? {}) as { ask?: Ask; answer?: Answer }
  if (what !== 'answer' || agent === undefined || session === undefined || !ask || !answer) return undefined
  const effect = findEffect(ask, answer)
  // A request that was withdrawn was not decided.
  if (effect === undefined) return undefined
  const rule = findRule(answer)
  return {
    agent,
    session,
    at,
    ...(ask.toolUse === undefined ? {} : { call: ask.toolUse }),
    ...(ask.tool === undefined ? {} : { tool: ask.tool }),
    ...(ask.input === undefined ? {} : { input: ask.input }),
    effect,
    ...(rule === undefined ? {} : { rule }),
  }
}

function findEffect(ask: Ask, { inferred, option, text }: Answer): Decision['effect'] | undefined {
  const effect = inferred ?? ask.options.find(({ id }) => id === option)?.effect
  if (effect === 'deny_always') return 'deny'
  // A question that got another option, or a text, was answered as well.
  return effect === 'other' || (effect === undefined && text !== undefined) ? 'allow' : effect
}

function findRule({ by, device }: Answer): string | undefined {
  if (by === 'policy') return device ?? 'rule'
  return by === 'timeout' ? 'no answer in time' : undefined
}

async function readModes(ledger: Ledger, session: SessionKey, findLike: FindLike): Promise<ModeChange[]> {
  const found: ModeChange[] = []
  let page = await ledger.read({ session, type: 'status' })
  while (page.events.length > 0) {
    for (const { event } of page.events) {
      if (event.type !== 'status' || event.status !== 'mode') continue
      const mode = typeof event.value === 'string' ? event.value : undefined
      found.push({ ...session, at: event.at, like: findLike(session.agent, mode) })
    }
    page = await ledger.read({ session, type: 'status', after: page.cursor })
  }
  return found.sort((one, other) => one.at - other.at)
}

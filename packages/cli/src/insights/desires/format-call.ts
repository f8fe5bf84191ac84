import type { Desire } from '@remora/insights'
import { type CallEntry, type Ledger, mask } from '@remora/ledger'
import { oneLine } from '../../output/one-line.ts'
import { shortIds } from '../../output/short-ids.ts'

/** Formats a text for a table cell: one line, secrets masked. */
export function toCell(text: string | undefined, limit = 200): string {
  return oneLine(mask((text ?? '').slice(0, limit * 8)), limit)
}

/** Returns a function that shortens session ids to unique prefixes. */
export async function sessionIds(ledger: Ledger): Promise<(id: string) => string> {
  return shortIds((await ledger.sessions({ hidden: true, empty: true })).map(({ session }) => session))
}

/** @example percent(1, 3) // '33 %' */
export function percent(part: number, whole: number): string {
  if (whole === 0) return '-'
  const share = (part / whole) * 100
  return `${share > 0 && share < 10 ? share.toFixed(1) : Math.round(share)} %`
}

/** @example formatDuration(95_000) // '1 min 35 s' */
export function formatDuration(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000)
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  return minutes < 60
    ? `${minutes} min ${seconds % 60} s`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

/** The JSON form of a failure. Every field is always present. */
export function toDesireJson(failure: Desire) {
  return {
    ...toCallJson(failure),
    class: failure.class,
    rule: failure.rule,
    detail: failure.detail ?? null,
    pattern: failure.pattern,
  }
}

/** The JSON form of a call. Every field is always present. */
export function toCallJson(call: CallEntry) {
  return {
    id: call.id,
    at: call.at,
    endedAt: call.endedAt ?? null,
    agent: call.agent,
    session: call.session,
    turn: call.turn,
    tool: call.tool,
    native: call.native,
    status: call.status,
    input: call.input ?? null,
    error: call.error ?? null,
    cwd: call.cwd ?? null,
    channel: call.channel,
  }
}

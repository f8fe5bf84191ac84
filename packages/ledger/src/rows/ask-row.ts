import { type Answer, type Ask, RemoraError } from '@remora/protocol/plain'
import type { SessionKey } from '../model/ledger.ts'

/** An ask as a database returns it. */
export interface AskRow {
  readonly agent: string
  readonly session: string
  readonly digest: string
  readonly ask: string
  readonly answer: string | null
}

export function toPendingAsk({ agent, session, ask }: AskRow): SessionKey & { readonly ask: Ask } {
  return { agent, session, ask: JSON.parse(ask) as Ask }
}

export function toAsk({ ask, answer }: AskRow): { readonly ask: Ask; readonly answer?: Answer } {
  return {
    ask: JSON.parse(ask) as Ask,
    ...(answer === null ? {} : { answer: JSON.parse(answer) as Answer }),
  }
}

/** The answer that won instead of this one. Throws if there is no such ask, or if it has changed. */
export function getWinningAnswer(
  row: AskRow | undefined,
  { agent, session }: SessionKey,
  answer: Answer,
): Answer {
  if (!row) throw new RemoraError('not_found', `There is no ask ${answer.ask} in ${agent} ${session}`)
  if (row.digest !== answer.digest)
    throw new RemoraError('conflict', `The ask ${answer.ask} has changed since it was shown`, {
      hint: 'Review it again, then decide.',
    })
  return JSON.parse(row.answer!) as Answer
}

/** Who decided, for the audit log. @example formatDecider(answer) // "Ann, Ann's phone (d-7f3k9q)" */
export function formatDecider({ by, person, device }: Answer): string {
  const who = person ?? by
  return device === undefined ? who : `${who}, ${device}`
}

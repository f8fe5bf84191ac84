import type { SessionKey } from '@remora/ledger'
import type { Answer } from '@remora/protocol'
import type { Approvals } from '../core/approvals.ts'
import type { Live } from '../core/live.ts'
import type { Who } from '../security/who.ts'

/** A user's answer to one ask. */
export interface Choice {
  readonly ask: string
  readonly digest: string
  readonly option?: string | undefined
  readonly text?: string | undefined
}

/**
 * Answers an ask for a user. A device that repeats its own answer wins again, since it repeats only when the first
 * acknowledgement was lost.
 */
export async function answerAsk(
  {
    approvals,
    live,
  }: { readonly approvals: Pick<Approvals, 'answer'>; readonly live: Pick<Live, 'restored'> },
  key: SessionKey,
  { ask, digest, option, text }: Choice,
  who: Who,
): Promise<Awaited<ReturnType<Approvals['answer']>>> {
  const given: Answer = {
    ask,
    digest,
    by: 'person',
    person: who.person,
    device: who.label,
    ...(option === undefined ? {} : { option }),
    ...(text === undefined ? {} : { text }),
  }
  // After a restart an ask opens again when its session is restored. A terminal's ask is named `<live id>/ask/…`.
  await live.restored?.(ask.includes('/ask/') ? ask.replace(/\/ask\/.*$/s, '') : key)
  const result = await approvals.answer(key, given)
  const { answer } = result
  const same =
    answer.by === 'person' &&
    answer.device === given.device &&
    answer.digest === digest &&
    answer.option === option &&
    answer.text === text
  return same && who.kind === 'device' ? { ...result, won: true } : result
}

import { type CallResult, readError } from '@remora/protocol/client'
import { workerTexts as words } from '../words/en/worker.ts'
import type { Carried } from './notification.ts'

/** What to show when an answer from a notification had no effect. */
export interface Failure {
  readonly title: string
  readonly body: string
}

/** Answers exactly the request that was shown. Resolves with a failure, or with undefined. */
export async function answerNotice(
  { session, ask, actions }: Carried,
  action: string,
): Promise<Failure | undefined> {
  const chosen = actions?.find((each) => each.action === action)
  const failed = { title: words.notAnswered, body: words.notAnsweredHint }
  if (!chosen || !session || !ask) return failed
  try {
    const response = await fetch('/api/asks/answer', {
      method: 'POST',
      credentials: 'same-origin',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...session, ask: ask.id, digest: ask.digest, option: chosen.option }),
    })
    const json: unknown = await response.json()
    const { won, effect } = json as Partial<CallResult<'post', '/api/asks/answer'>>
    if (response.status === 404 || effect === 'gone')
      return { title: words.requestClosed, body: words.requestClosedHint }
    if (readError(json).code === 'forbidden') return { title: words.notAllowed, body: words.notAllowedHint }
    if (!response.ok) return failed
    return won === true ? undefined : { title: words.answeredElsewhere, body: words.answeredElsewhereHint }
  } catch {
    return failed
  }
}

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
    const answer = (await response.json()) as { won?: boolean; effect?: string; error?: { code?: string } }
    if (response.status === 404 || answer.effect === 'gone')
      return { title: words.requestClosed, body: words.requestClosedHint }
    if (answer.error?.code === 'forbidden') return { title: words.notAllowed, body: words.notAllowedHint }
    if (!response.ok) return failed
    return answer.won === true
      ? undefined
      : { title: words.answeredElsewhere, body: words.answeredElsewhereHint }
  } catch {
    return failed
  }
}

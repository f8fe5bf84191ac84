import { classifyError } from '../../events/classify-error.ts'
import type { AttemptEnd } from './attempt.ts'
import type { RunFailure } from '../../runs/result.ts'

/** Why an attempt failed, by what the CLI said. */
export function toFailure({ outcome, exit, stderr }: AttemptEnd): RunFailure {
  const failure = outcome.failure ?? {
    message:
      stderr.trim().split('\n').at(-1) ||
      `The agent ended with ${exit.signal ?? `code ${exit.code}`} and said nothing`,
  }
  const { code, hint, retryable } = classifyError(failure)
  if (code === 'unknown' && exit.signal)
    return { code: 'crashed', message: `The agent was ended by ${exit.signal}`, hint, retryable: false }
  if (code === 'unknown' && !outcome.failure)
    return { code: 'crashed', message: failure.message, hint, retryable: false }
  return { code, message: failure.message, hint, retryable }
}

/** Doubles each time, up to half a minute, with jitter so that many runs do not come back at once. */
export function getBackoff(attempts: number, baseMs: number): number {
  return Math.round(Math.min(30_000, baseMs * 2 ** (attempts - 1)) * (0.5 + Math.random() / 2))
}

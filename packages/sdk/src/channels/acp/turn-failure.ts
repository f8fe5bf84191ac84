import type { EventOf } from '@remora/protocol/plain'
import type { RunFailure } from '../../runs/result.ts'

/** Why a turn that has ended did not do what it was for; undefined if it did. */
export function getTurnFailure(
  title: string,
  done: EventOf<'done'> | undefined,
  failed: EventOf<'error'> | undefined,
  quiet: boolean,
): RunFailure | undefined {
  if (failed) {
    const { code, message, hint, retryable = false } = failed
    return { code, message, ...(hint === undefined ? {} : { hint }), retryable }
  }
  const { ok = false, stopReason } = done ?? {}
  switch (stopReason) {
    case 'cancelled':
      return { code: 'aborted', message: 'The turn was cancelled', retryable: false }
    case 'refusal':
      return { code: 'permission', message: `${title} refused to go on`, retryable: false }
    case 'max_turn_requests':
      return {
        code: 'budget',
        message: `${title} stopped after too many requests in one turn`,
        hint: 'It may go in circles: say more exactly what to do.',
        retryable: false,
      }
    default:
  }
  if (!ok) return { code: 'unknown', message: `The turn ended with ${stopReason}`, retryable: false }
  if (!quiet) return undefined
  return {
    code: 'unknown',
    message: `${title} ended its turn without a word`,
    hint: 'Check the model and the credentials: some agents answer nothing where others tell an error.',
    retryable: true,
  }
}

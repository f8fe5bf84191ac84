import { RemoraError } from '@remora/protocol/plain'
import type { RunFailure } from './result.ts'

/** Why a run failed that the CLI did not end: what was thrown, or what stopped it. */
export function toRunFailure(error: unknown, signal: AbortSignal): RunFailure {
  const cause = signal.aborted ? (signal.reason as unknown) : error
  if (RemoraError.is(cause))
    return {
      code: cause.code,
      message: cause.message,
      ...(cause.hint ? { hint: cause.hint } : {}),
      retryable: false,
    }
  return {
    code: 'unknown',
    message: cause instanceof Error ? cause.message : String(cause),
    retryable: false,
  }
}

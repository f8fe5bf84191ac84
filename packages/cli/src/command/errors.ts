import type { ErrorCode, RemoraError } from '@remora/protocol/plain'

/** 0 ok, 1 the agent failed, 2 usage, 3 agent missing or option unsupported, 4 timeout, 130 cancelled. */
export function exitCode(code: ErrorCode): number {
  if (code === 'usage' || code === 'config') return 2
  if (code === 'agent_missing' || code === 'agent_too_old' || code === 'unsupported') return 3
  if (code.startsWith('timeout_')) return 4
  return code === 'aborted' ? 130 : 1
}

/**
 * Creates a RemoraError. The class is loaded on demand, because it comes with the schemas and most commands do not
 * fail.
 *
 * @example throw await fail('not_found', 'No session "x"', 'List sessions: remora sessions')
 */
export async function fail(code: ErrorCode, message: string, hint: string): Promise<RemoraError> {
  const { RemoraError } = await import('@remora/protocol/plain')
  return new RemoraError(code, message, { hint })
}

/**
 * An invalid command line. Not a RemoraError, which would load the schemas for help and typing errors.
 */
export class UsageError extends Error {
  readonly hint: string

  constructor(message: string, hint: string) {
    super(message)
    this.hint = hint
  }
}

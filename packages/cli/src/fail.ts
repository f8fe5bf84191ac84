import type { ErrorCode, RemoraError } from '@remora/protocol/plain'

/**
 * A failure of ours, made where it happens: most commands do not fail, and the words of failure come with the schemas,
 * which take their time to load.
 *
 * @example throw await fail('not_found', 'No session "x"', 'List sessions: remora sessions')
 */
export async function fail(code: ErrorCode, message: string, hint: string): Promise<RemoraError> {
  const { RemoraError } = await import('@remora/protocol/plain')
  return new RemoraError(code, message, { hint })
}

import { RemoraError } from '@remora/protocol/plain'
import { atLeast } from './version.ts'

/** Creates the error for an option that the CLI, or this version of it, does not support. */
export function createUnsupportedError(agent: string, option: string, hint: string): RemoraError {
  return new RemoraError('unsupported', `${agent} does not support ${option}`, { hint })
}

/**
 * Throws unless the version has the option.
 *
 * @example requireVersion('Gemini CLI', 'sessionId', version, '0.41.0')
 */
export function requireVersion(
  agent: string,
  option: string,
  version: string | undefined,
  minimum: string,
): void {
  if (atLeast(version, minimum)) return
  throw createUnsupportedError(
    `${agent} ${version}`,
    `the option ${option}`,
    `Update ${agent} to ${minimum} or later, or leave ${option} out.`,
  )
}

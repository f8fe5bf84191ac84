import { RemoraError } from '@remora/protocol/plain'
import type { Problem } from '../../contract/agent.ts'
import type { EventFields } from '../../events/event-maker.ts'

/** Converts problems of a resumed session to warnings. */
export function toProblemFields(source: string, problems: readonly Problem[]): EventFields[] {
  return problems.map(({ code, message, hint }) => ({
    type: 'error',
    entity: `${source}/problem/${code}`,
    code: 'unknown',
    severity: 'warning',
    message,
    hint,
  }))
}

/** Converts an error to a warning. */
export function toWarningFields(entity: string, { code, message, hint }: RemoraError): EventFields {
  return { type: 'error', entity, code, severity: 'warning', message, ...(hint ? { hint } : {}) }
}

/** Creates the error for a session that was lost in a restart. */
export function createLostSessionError(title: string, session: string, cause: unknown): RemoraError {
  const why = cause instanceof Error ? cause.message : String(cause)
  const message = `${title} was started again and does not have the session ${session} any more: ${why}`
  return new RemoraError('not_found', message, { hint: 'Open another session.', cause })
}

/** Creates the error for an agent that would silently ignore our tools. */
export function toObstacleError({ code, message, hint }: Problem): RemoraError {
  return new RemoraError(code === 'untrusted' ? 'untrusted' : 'config', message, { hint })
}

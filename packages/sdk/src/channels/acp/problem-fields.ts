import { RemoraError } from '@remora/protocol/plain'
import type { Problem } from '../../contract/agent.ts'
import type { EventFields } from '../../events/event-maker.ts'

/** What a person should know of a session that was resumed. */
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

/** Something that fails no run. */
export function toWarningFields(entity: string, { code, message, hint }: RemoraError): EventFields {
  return { type: 'error', entity, code, severity: 'warning', message, ...(hint ? { hint } : {}) }
}

/** Why a session does not go on after its agent was started again. */
export function createLostSessionError(title: string, session: string, cause: unknown): RemoraError {
  const why = cause instanceof Error ? cause.message : String(cause)
  const message = `${title} was started again and does not have the session ${session} any more: ${why}`
  return new RemoraError('not_found', message, { hint: 'Open another session.', cause })
}

/** Why the agent would ignore our tools in silence. */
export function toObstacleError({ code, message, hint }: Problem): RemoraError {
  return new RemoraError(code === 'untrusted' ? 'untrusted' : 'config', message, { hint })
}

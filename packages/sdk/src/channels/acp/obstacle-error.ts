import { RemoraError } from '@remora/protocol/plain'
import type { Problem } from '../../contract/agent.ts'

/** Why the agent would ignore our tools in silence. */
export function toObstacleError({ code, message, hint }: Problem): RemoraError {
  return new RemoraError(code === 'untrusted' ? 'untrusted' : 'config', message, { hint })
}

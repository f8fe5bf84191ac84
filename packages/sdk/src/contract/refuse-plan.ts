import { RemoraError } from '@remora/protocol/plain'
import type { Problem } from './agent.ts'

/** Throws where plan mode would not be read-only. @example refusePlan(await part.planObstacle?.(place)) */
export function refusePlan(obstacle: Problem | undefined): void {
  if (obstacle) throw new RemoraError('unsupported', obstacle.message, { hint: obstacle.hint })
}

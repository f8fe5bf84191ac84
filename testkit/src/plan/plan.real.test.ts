import { describe, expect, it } from 'vitest'
import { describeCell } from './cell.ts'
import { listTestCells } from './cells.ts'
import { findObstacle, runPlanCell } from './run-cell.ts'

// `npm run faults -- plan` runs every cell.
describe('plan mode is read-only for a user who allows everything', () => {
  it.each(listTestCells().map((cell) => [describeCell(cell), cell] as const))(
    '%s',
    { timeout: 300_000 },
    async (_, cell) => {
      const obstacle = await findObstacle(cell.user)
      if (obstacle !== undefined) {
        console.warn(`Not possible here: ${obstacle}`)
        return
      }
      const { changes, connections, read } = await runPlanCell(cell)
      expect({ changes, connections, read }).toEqual({ changes: [], connections: 0, read: true })
    },
  )
})

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { listPinnedAgents, repository } from '../clis.ts'
import type { RecorderPart } from './screens/play.ts'

/**
 * What is recorded of each agent beside the common scenarios, from `recorder.test-data.ts` in its folder. It is apart
 * from `testkit.ts` since it uses the recorder, which the product does not contain.
 */
export const recorderParts: ReadonlyMap<string, RecorderPart> = new Map(
  await Promise.all(
    listPinnedAgents().map(async ({ id }) => {
      const file = join(repository, 'packages', 'sdk', 'src', 'agents', id, 'recorder.test-data.ts')
      if (!existsSync(file)) return [id, { plays: [] }] as const
      const { recorder } = (await import(file)) as { recorder: RecorderPart }
      return [id, recorder] as const
    }),
  ),
)

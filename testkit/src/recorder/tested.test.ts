import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { agents } from '@remora/sdk'
import { expect, it } from 'vitest'
import { pinnedVersions } from '../clis.ts'
import { findTested, formatTested, getAgentFolder } from './tested.ts'

const recorded = agents().filter(({ id }) => pinnedVersions(id).length > 0)

it.each(recorded.map(({ id }) => id))('has the tested ranges of %s as they were recorded', async (id) => {
  const file = join(getAgentFolder(id), 'tested.ts')
  expect(existsSync(file), 'Write it: npm run fixtures -- tested').toBe(true)
  expect(await readFile(file, 'utf8')).toBe(formatTested(await findTested(id)))
  expect(agents().find((agent) => agent.id === id)?.tested).toEqual(await findTested(id))
})

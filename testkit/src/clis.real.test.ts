import { existsSync } from 'node:fs'
import { agents } from '@remora/sdk'
import { describe, expect, it } from 'vitest'
import { pinned, pinnedVersions } from './clis.ts'

describe('pinned', () => {
  it('leads to an executable for every CLI and wrapper', () => {
    const wrappers = agents().flatMap(({ acp }) => acp?.wrappers ?? [])
    const tested = agents().filter(({ testkit }) => testkit !== undefined)
    for (const agent of [...tested.map(({ id }) => id), ...wrappers.map((each) => each.package)]) {
      expect(pinnedVersions(agent)).not.toEqual([])
      for (const version of pinnedVersions(agent)) {
        expect(pinned(agent, version)).toMatchObject({ agent, version })
        expect(existsSync(pinned(agent, version).path)).toBe(true)
      }
    }
  })
})

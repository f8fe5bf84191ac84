import { existsSync, readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { formatApi, listUndocumented, readApi } from './api.mjs'

/** Packages that are not fully documented yet, with the number of symbols that may be missing. It may only go down. */
const ceilings = {
  '@remora/sdk': 90,
  '@remora/server': 10,
}

describe('the public API', () => {
  let api = []

  beforeAll(async () => {
    api = await readApi()
    // Seven seconds of processor time, which can take minutes on a busy machine.
  }, 300_000)

  it('is what the API reports say', () => {
    const stale = api.filter(
      (each) => !existsSync(each.file) || readFileSync(each.file, 'utf8') !== formatApi(each),
    )
    expect(
      stale.map(({ name }) => name),
      'Write the reports anew: npm run api',
    ).toEqual([])
  })

  it('has a comment for every symbol and an example for every function', () => {
    for (const each of api) {
      const missing = listUndocumented(each)
      expect(missing.length, `${each.name}:\n${missing.join('\n')}`).toBeLessThanOrEqual(
        ceilings[each.name] ?? 0,
      )
    }
  })
})

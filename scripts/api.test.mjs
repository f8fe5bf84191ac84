import { existsSync, readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { formatApi, listUndocumented, readApi } from './api.mjs'

describe('the public API', () => {
  let api = []

  beforeAll(async () => {
    api = await readApi()
    // Seven seconds of CPU time, which can take minutes on a busy machine.
  }, 300_000)

  it('matches the API reports', () => {
    const stale = api.filter(
      (each) => !existsSync(each.file) || readFileSync(each.file, 'utf8') !== formatApi(each),
    )
    expect(
      stale.map(({ name }) => name),
      'The reports are stale: npm run api',
    ).toEqual([])
  })

  it('has a comment for every symbol and an example for every function', () => {
    for (const each of api) expect(listUndocumented(each), each.name).toEqual([])
  })
})

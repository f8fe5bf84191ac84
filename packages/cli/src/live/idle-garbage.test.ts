import { getHeapStatistics } from 'node:v8'
import { expect, it } from 'vitest'
import { IdleGarbage } from './idle-garbage.ts'

const getUsed = () => getHeapStatistics().used_heap_size

it('collects garbage once after a burst, and only while the server is idle', () => {
  const garbage = new IdleGarbage()
  const before = getUsed()
  let burst: object[] | undefined = Array.from({ length: 3_000_000 }, (_, index) => ({ index }))
  expect(burst).toHaveLength(3_000_000)
  burst = undefined
  const grown = getUsed() - before
  expect(garbage.check(false)).toBe(false)
  expect(garbage.check(true)).toBe(true)
  expect(getUsed() - before).toBeLessThan(grown / 2)
  expect(garbage.check(true)).toBe(false)
})

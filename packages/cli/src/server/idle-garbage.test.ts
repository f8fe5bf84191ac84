import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { IdleGarbage } from './idle-garbage.ts'

const getUsed = () => getHeapStatistics().used_heap_size

it('collects garbage once after a burst, and only while the server is idle', () => {
  setFlagsFromString('--expose-gc')
  // Garbage of other tests in this worker does not count.
  ;(runInNewContext('gc') as () => void)()
  const garbage = new IdleGarbage()
  const before = getUsed()
  let burst: object[] = []
  while (getUsed() < before * 1.5 + 20_000_000)
    burst.push(Array.from({ length: 10_000 }, (_, index) => ({ index })))
  const grown = getUsed() - before
  expect(burst.length).toBeGreaterThan(0)
  burst = []
  expect(garbage.check(false)).toBe(false)
  expect(garbage.check(true)).toBe(true)
  expect(getUsed() - before).toBeLessThan(grown / 2)
  expect(garbage.check(true)).toBe(false)
})

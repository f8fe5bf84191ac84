import { expect, it } from 'vitest'
import { deadline } from './deadline.ts'

it('aborts after the timeout or with the other signal, and reports which', async () => {
  const stop = new AbortController()
  using short = deadline(stop.signal, 20)
  using none = deadline(stop.signal, undefined)
  using long = deadline(stop.signal, 100_000)
  await expect.poll(() => short.signal.aborted, { timeout: 60_000 }).toBe(true)
  expect([short.passed, long.passed, long.signal.aborted, none.signal.aborted]).toEqual([
    true,
    false,
    false,
    false,
  ])
  stop.abort('SIGINT')
  expect([long.passed, long.signal.reason, none.signal.aborted]).toEqual([false, 'SIGINT', true])
  using late = deadline(stop.signal, 100_000)
  expect(late.signal.aborted).toBe(true)
})

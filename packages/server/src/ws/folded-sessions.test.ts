import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { TimeSlices } from './folded-sessions.ts'

function spin(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end;);
}

it('runs all work in order, and lets other work run in between', async () => {
  const slices = new TimeSlices()
  const ran: number[] = []
  for (let index = 0; index < 10; index++)
    slices.add(() => {
      spin(15)
      ran.push(index)
    })
  let turns = 0
  while (ran.length < 10) {
    await nextTurn()
    turns += 1
  }
  expect(ran).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
  // Two tasks fill a slice.
  expect(turns).toBeGreaterThanOrEqual(5)
})

it('continues after a task that fails', async () => {
  const slices = new TimeSlices()
  const uncaught = new Promise((resolve) => process.once('uncaughtException', resolve))
  slices.add(() => {
    throw new Error('broken')
  })
  const next = new Promise<void>((resolve) => slices.add(resolve))
  expect(await uncaught).toMatchObject({ message: 'broken' })
  await next
})

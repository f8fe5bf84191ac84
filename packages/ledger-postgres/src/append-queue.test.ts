import { setImmediate as turn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { type Load, AppendQueue } from './append-queue.ts'

interface Named extends Load {
  readonly name: string
}

/** The batches by name, and functions that end the running ones, oldest first. */
function watched(): { queue: AppendQueue<Named>; stored: string[]; end: () => Promise<void> } {
  const stored: string[] = []
  const ends: (() => void)[] = []
  const queue = new AppendQueue<Named>((loads) => {
    stored.push(loads.map(({ name }) => name).join(' '))
    return new Promise((resolve) => ends.push(resolve))
  })
  const end = async (): Promise<void> => {
    ends.shift()!()
    await turn()
    await turn()
  }
  return { queue, stored, end }
}

function load(name: string, sessions: string, size = 1): Named {
  return { name, sessions: new Set(sessions), size }
}

it('batches appends that arrive while one is running', async () => {
  const { queue, stored, end } = watched()
  queue.add(load('first', 'a'))
  await turn()
  for (const name of ['b', 'c', 'd']) queue.add(load(name, name))
  expect(stored).toEqual(['first'])
  await end()
  expect(stored).toEqual(['first', 'b c d'])
  await end()
})

it('batches appends of one event-loop turn', async () => {
  const { queue, stored, end } = watched()
  for (const name of ['a', 'b']) queue.add(load(name, name))
  await turn()
  expect(stored).toEqual(['a b'])
  await end()
})

it('keeps the order of appends to the same session', async () => {
  const { queue, stored, end } = watched()
  queue.add(load('1', 'ab'))
  queue.add(load('2', 'bc'))
  queue.add(load('3', 'c'))
  queue.add(load('4', 'd'))
  await turn()
  expect(stored).toEqual(['1 4'])
  await end()
  expect(stored).toEqual(['1 4', '2'])
  await end()
  expect(stored).toEqual(['1 4', '2', '3'])
  await end()
})

it('starts large appends at once, but not too many', async () => {
  const { queue, stored, end } = watched()
  for (const name of ['a', 'b', 'c', 'd', 'e']) queue.add(load(name, name, 500))
  await turn()
  expect(stored).toEqual(['a', 'b', 'c'])
  await end()
  expect(stored).toEqual(['a', 'b', 'c', 'd'])
  for (let round = 0; round < 4; round++) await end()
  expect(stored).toHaveLength(5)
})

it('does not wait for a blocked append', async () => {
  const { queue, stored, end } = watched()
  queue.add(load('stuck', 'a'))
  await turn()
  queue.add(load('b', 'b'))
  await expect.poll(() => stored, { timeout: 30_000 }).toEqual(['stuck', 'b'])
  await end()
  await end()
})

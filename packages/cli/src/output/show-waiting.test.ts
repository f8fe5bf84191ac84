import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import type { Io } from '../command/io.ts'
import { showWaiting } from './show-waiting.ts'

function listener(errorTerminal: boolean) {
  const said: string[] = []
  const io = { errorTerminal, err: (text: string) => void said.push(text) } as unknown as Io
  return { said, io }
}

it('shows a line during slow work, and erases it, also after a failure', async () => {
  const { said, io } = listener(true)
  let told = false
  const work = async () => {
    while (said.length === 0) await sleep(10)
    told = true
    throw new Error('It failed')
  }
  await expect(showWaiting('Starting …', io, work)).rejects.toThrow('It failed')
  expect(told).toBe(true)
  expect(said).toEqual(['Starting …', '\r\u001B[K'])
})

it('prints nothing for fast work', async () => {
  const { said, io } = listener(true)
  expect(await showWaiting('Starting …', io, async () => 1)).toBe(1)
  expect(said).toEqual([])
})

it('prints nothing into a pipe', async () => {
  const { said, io } = listener(false)
  expect(await showWaiting('Starting …', io, () => sleep(600, 1))).toBe(1)
  expect(said).toEqual([])
})

import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import type { Io } from '../command/io.ts'
import { showWaiting } from './show-waiting.ts'

function listener(errorTerminal: boolean) {
  const printed: string[] = []
  const io = { errorTerminal, err: (text: string) => void printed.push(text) } as unknown as Io
  return { printed, io }
}

it('shows a line during slow work, and erases it, also after a failure', async () => {
  const { printed, io } = listener(true)
  let isPrinted = false
  const work = async () => {
    while (printed.length === 0) await sleep(10)
    isPrinted = true
    throw new Error('It failed')
  }
  await expect(showWaiting('Starting …', io, work)).rejects.toThrow('It failed')
  expect(isPrinted).toBe(true)
  expect(printed).toEqual(['Starting …', '\r\u001B[K'])
})

it('prints nothing for fast work', async () => {
  const { printed, io } = listener(true)
  expect(await showWaiting('Starting …', io, async () => 1)).toBe(1)
  expect(printed).toEqual([])
})

it('prints nothing into a pipe', async () => {
  const { printed, io } = listener(false)
  expect(await showWaiting('Starting …', io, () => sleep(600, 1))).toBe(1)
  expect(printed).toEqual([])
})

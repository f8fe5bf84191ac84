import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { together } from './together.mjs'

it('rejects only after all actions have ended', async () => {
  let ended = false
  const slow = sleep(20).then(() => (ended = true))
  await expect(together([slow, Promise.reject(new Error('no'))])).rejects.toThrow('no')
  expect(ended).toBe(true)
})

it('resolves when all actions succeed', async () => {
  await expect(together([Promise.resolve(1), Promise.resolve(2)])).resolves.toBeUndefined()
})

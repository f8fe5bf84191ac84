import { describe, expect, it } from 'vitest'
import { checkTmux, isRecent } from './tmux-version.ts'

describe('checkTmux', () => {
  it('accepts the tmux of this machine', async () => {
    await expect(checkTmux()).resolves.toBeUndefined()
  })

  it('reads versions in all their forms', () => {
    for (const version of ['3.2', '3.2a', '3.3a', '3.10', '4.0', 'next-3.6', 'master']) {
      expect(isRecent(version), version).toBe(true)
    }
    for (const version of ['1.8', '2.9a', '3.0', '3.1c', 'next-3.1'])
      expect(isRecent(version), version).toBe(false)
  })
})

import { describe, expect, it } from 'vitest'
import { pinned, pinnedVersions } from './clis.ts'

describe('pinned', () => {
  it('knows the versions of testkit/clis/package.json, newest first', () => {
    expect(pinnedVersions('gemini')).toEqual(['0.61.0', '0.34.0', '0.27.4'])
    expect(pinnedVersions('kiro')).toEqual([])
  })

  it('names what is pinned when asked for something else', () => {
    expect(() => pinned('gemini', '9.9.9')).toThrow(
      expect.objectContaining({ code: 'not_found', hint: expect.stringContaining('gemini@0.61.0') }),
    )
  })
})

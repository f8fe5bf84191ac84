import { existsSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { pinned, pinnedVersions } from './clis.ts'

describe('pinned', () => {
  it('leads to an executable for every CLI and wrapper', () => {
    const wrappers = ['claude-code-acp', 'claude-agent-acp', 'zed-codex-acp', 'codex-acp']
    for (const agent of ['gemini', 'claude', 'codex', 'opencode', ...wrappers]) {
      expect(pinnedVersions(agent)).not.toEqual([])
      for (const version of pinnedVersions(agent)) {
        expect(pinned(agent, version)).toMatchObject({ agent, version })
        expect(existsSync(pinned(agent, version).path)).toBe(true)
      }
    }
  })
})

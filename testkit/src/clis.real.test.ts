import { existsSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { pinned, pinnedVersions } from './clis.ts'

describe('pinned', () => {
  it('leads to an executable for every CLI and wrapper', () => {
    for (const agent of ['gemini', 'claude', 'codex', 'opencode', 'claude-code-acp', 'codex-acp']) {
      for (const version of pinnedVersions(agent)) {
        expect(pinned(agent, version)).toMatchObject({ agent, version, command: agent })
        expect(existsSync(pinned(agent, version).path)).toBe(true)
      }
    }
  })
})

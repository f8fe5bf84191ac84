import { describe, expect, it } from 'vitest'
import { agents } from '../../agents/registry.ts'
import { modes } from '../../contract/agent.ts'
import { commonModes, fromNativeMode, isNativeSelfApproving, toNativeMode } from './native-modes.ts'

const { modes: codex, wrappers } = agents().find(({ id }) => id === 'codex')!.acp!
const newerCodex = wrappers![0]!.part!.modes!
const gemini = agents().find(({ id }) => id === 'gemini')!.acp!.modes

describe('native modes', () => {
  it('finds the id that the wrapper in use offers', () => {
    const older = ['read-only', 'auto', 'full-access']
    const newer = ['read-only', 'workspace-write', 'agent', 'agent-full-access']
    expect(modes.map((mode) => toNativeMode(newerCodex, mode, newer))).toEqual([
      'read-only',
      'workspace-write',
      'read-only',
      'agent',
      'agent-full-access',
    ])
    expect(toNativeMode(codex, 'ask', older)).toBe('auto')
    expect(toNativeMode(codex, 'bypass', older)).toBe('full-access')
  })

  it('maps ids to our modes and keeps unknown ones', () => {
    expect(['autoEdit', 'yolo', 'plan', 'strange'].map((id) => fromNativeMode(gemini, id))).toEqual([
      'acceptEdits',
      'bypassPermissions',
      'plan',
      'strange',
    ])
  })

  it('keeps an id that the agent itself offers', () => {
    expect(toNativeMode({}, 'ask', ['ask', 'code'])).toBe('ask')
    expect(toNativeMode(gemini, 'autoEdit', ['default', 'autoEdit'])).toBe('autoEdit')
  })

  it('never uses an auto mode as the asking mode of an unknown agent', () => {
    expect(fromNativeMode(commonModes, 'auto')).toBe('auto')
    expect(isNativeSelfApproving(commonModes, 'auto')).toBe(true)
    expect(isNativeSelfApproving(commonModes, 'auto-edit')).toBe(false)
  })

  it('treats auto as asking in the older Codex wrapper, and as self-approving in the newer one', () => {
    expect(fromNativeMode(codex, 'auto')).toBe('default')
    expect(isNativeSelfApproving(codex, 'auto')).toBe(false)
    expect(isNativeSelfApproving(newerCodex, 'agent')).toBe(true)
  })

  it.each(agents().filter(({ acp }) => acp))('maps every mode of $id there and back', ({ acp }) => {
    for (const mode of modes) {
      const ids = acp!.modes[mode]
      if (ids === undefined) continue
      const id = toNativeMode(acp!.modes, mode, [])
      expect(toNativeMode(acp!.modes, fromNativeMode(acp!.modes, id), [])).toBe(id)
    }
  })
})

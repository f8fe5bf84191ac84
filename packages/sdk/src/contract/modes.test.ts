import { describe, expect, it } from 'vitest'
import { isSelfApproving, toMode } from './modes.ts'

describe('toMode', () => {
  it('accepts our modes and the aliases ask and bypass', () => {
    expect(
      ['default', 'ask', 'acceptEdits', 'plan', 'auto', 'bypassPermissions', 'bypass'].map(toMode),
    ).toEqual(['default', 'default', 'acceptEdits', 'plan', 'auto', 'bypassPermissions', 'bypassPermissions'])
  })

  it('accepts no other word', () => {
    expect(['yolo', 'Ask', '', 'toString', undefined].map(toMode)).toEqual(Array(5).fill(undefined))
  })
})

describe('isSelfApproving', () => {
  it.each(['auto', 'bypassPermissions', 'yolo', 'full-access', 'agent-full-access', 'YOLO', 'autopilot'])(
    'is true for %s',
    (mode) => expect(isSelfApproving(mode)).toBe(true),
  )

  it.each(['default', 'ask', 'acceptEdits', 'auto-edit', 'autoEdit', 'plan', 'dontAsk', 'build', 'code'])(
    'is false for %s',
    (mode) => expect(isSelfApproving(mode)).toBe(false),
  )
})

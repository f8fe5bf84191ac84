import { expect, it } from 'vitest'
import { keepSame } from './keep-same.ts'

it('returns the previous value if both are equal', () => {
  const before = { id: 'a', content: [{ type: 'text', text: 'x' }], usage: { input: 1 }, none: null }
  expect(keepSame(before, structuredClone(before))).toBe(before)
})

it('returns the new value if anything differs', () => {
  const before = { id: 'a', content: [{ text: 'x' }] }
  for (const now of [
    { id: 'a', content: [{ text: 'y' }] },
    { id: 'a', content: [{ text: 'x' }, { text: 'x' }] },
    { id: 'a', content: { 0: { text: 'x' } } },
    { id: 'a', content: null },
    { id: 'a' },
    { id: 'a', content: [{ text: 'x' }], model: 'm' },
    { id: 'a', model: undefined },
  ])
    expect(keepSame<unknown>(before, now)).toBe(now)
  expect(keepSame<unknown>({ constructor: 1 }, { toString: 1 })).toEqual({ toString: 1 })
  expect(keepSame(undefined, before)).toBe(before)
})

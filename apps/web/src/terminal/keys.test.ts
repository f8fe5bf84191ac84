import { describe, expect, it } from 'vitest'
import { type Pressed, toKey, textKeys, withControl } from './keys.ts'

function pressed(key: string, held = '', more: Partial<Pressed> = {}): Pressed {
  return {
    key,
    ctrlKey: held.includes('C'),
    altKey: held.includes('A'),
    shiftKey: held.includes('S'),
    metaKey: held.includes('M'),
    ...more,
  }
}

/** The key names that the server accepts. */
const taken = /^(?:[CMS]-){0,3}(?:[A-Za-z0-9]|[A-Z][A-Za-z0-9]{1,11})$/

describe('toKey', () => {
  it.each([
    ['a', '', { text: 'a' }],
    ['A', 'S', { text: 'A' }],
    [' ', '', { text: ' ' }],
    ['é', '', { text: 'é' }],
    ['👋', '', { text: '👋' }],
    ['Enter', '', { key: 'Enter' }],
    ['Enter', 'S', { key: 'C-j' }],
    ['Escape', '', { key: 'Escape' }],
    ['Tab', '', { key: 'Tab' }],
    ['Tab', 'S', { key: 'BTab' }],
    ['Backspace', '', { key: 'BSpace' }],
    ['Delete', '', { key: 'DC' }],
    ['ArrowUp', '', { key: 'Up' }],
    ['ArrowLeft', 'C', { key: 'C-Left' }],
    ['ArrowDown', 'AS', { key: 'M-S-Down' }],
    ['PageUp', '', { key: 'PageUp' }],
    ['F12', '', { key: 'F12' }],
    ['c', 'C', { key: 'C-c' }],
    ['C', 'C', { key: 'C-c' }],
    [' ', 'C', { key: 'C-Space' }],
    ['[', 'C', { key: 'Escape' }],
    ['b', 'A', { key: 'M-b' }],
    ['∂', 'A', { text: '∂' }],
  ] as const)('%s with %s', (key, held, expected) => {
    const found = toKey(pressed(key, held))
    expect(found).toEqual(expected)
    if (found && 'key' in found) expect(found.key).toMatch(taken)
  })

  it.each([
    ['c', 'CS'],
    ['v', 'M'],
    ['Shift', 'S'],
    ['Control', 'C'],
    ['Dead', ''],
    ['Process', ''],
    ['F6', ''],
    ['F13', ''],
    ['=', 'C'],
  ])('leaves %s with %s to the browser', (key, held) => {
    expect(toKey(pressed(key, held))).toBeUndefined()
  })

  it('ignores events during composition', () => {
    expect(toKey(pressed('a', '', { isComposing: true }))).toBeUndefined()
  })

  it('sends the third-level character of a key', () => {
    const thirdLevel = { getModifierState: (name: string) => name === 'AltGraph' }
    expect(toKey(pressed('@', 'CA', thirdLevel))).toEqual({ text: '@' })
  })
})

describe('withControl', () => {
  it.each([
    [{ text: 'c' }, { key: 'C-c' }],
    [{ text: 'D' }, { key: 'C-d' }],
    [{ text: '!' }, { text: '!' }],
    [{ text: 'two' }, { text: 'two' }],
    [{ key: 'Left' }, { key: 'C-Left' }],
    [{ key: 'Escape' }, { key: 'Escape' }],
    [{ key: 'C-c' }, { key: 'C-c' }],
  ])('%j', (key, expected) => {
    expect(withControl(key)).toEqual(expected)
  })
})

describe('textKeys', () => {
  it('sends nothing for an empty text', () => {
    expect(textKeys('')).toEqual([])
  })

  it('splits a long text, but no character', () => {
    const text = `${'x'.repeat(9_999)}👋${'y'.repeat(10_000)}`
    const pieces = textKeys(text).map((key) => ('text' in key ? key.text : ''))
    expect(pieces.join('')).toBe(text)
    expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThanOrEqual(10_000)
    expect(pieces[0]).toBe('x'.repeat(9_999))
  })
})

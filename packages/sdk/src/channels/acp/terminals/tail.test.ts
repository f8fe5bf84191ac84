import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Tail } from './tail.ts'

describe('Tail', () => {
  it('keeps everything that fits', () => {
    const tail = new Tail(6)
    tail.add(Buffer.from('hé'))
    tail.add(Buffer.from('llo'))
    expect([tail.toString(), tail.truncated]).toEqual(['héllo', false])
  })

  it('drops a cut character', () => {
    const tail = new Tail(5)
    tail.add(Buffer.from('aé😀'))
    expect([tail.toString(), tail.truncated]).toEqual(['😀', true])
    tail.add(Buffer.from('b'))
    expect(tail.toString()).toBe('😀b')
  })

  it('is the end of the text in whole characters, however it is chunked', () => {
    const piece = fc.string({ unit: fc.constantFrom('a', 'é', '€', '😀', '\n'), maxLength: 12 })
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), fc.nat(40), (pieces, limit) => {
        const tail = new Tail(limit)
        for (const text of pieces) tail.add(Buffer.from(text))
        const text = pieces.join('')
        const shown = tail.toString()
        expect(text.endsWith(shown)).toBe(true)
        expect(Buffer.byteLength(shown)).toBeLessThanOrEqual(limit)
        expect(tail.truncated).toBe(Buffer.byteLength(text) > limit)
        if (!tail.truncated) expect(shown).toBe(text)
        // One more character would be too much.
        else expect(Buffer.byteLength(shown)).toBeGreaterThan(limit - 4)
      }),
    )
  })
})

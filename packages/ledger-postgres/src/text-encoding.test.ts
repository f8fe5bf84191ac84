import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { encodeParameter } from './parameters.ts'
import { decodeText, encodeText } from './text-encoding.ts'

/** Any units at all, often those that need care. */
const units = fc.oneof(
  fc.constantFrom(0, 1, 0x30, 0xd800, 0xdbff, 0xdc00, 0xdfff, 0x22, 0x5c),
  fc.nat({ max: 0xffff }),
)
const texts = fc.array(units).map((codes) => String.fromCharCode(...codes))

describe('texts that a database cannot hold', () => {
  it('come back as they were, and have no sign in between that it would refuse', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const encoded = encodeText(text)
        expect(decodeText(encoded)).toBe(text)
        expect(encoded).not.toContain('\0')
        expect(Buffer.from(encoded).toString()).toBe(encoded)
      }),
      { numRuns: 500 },
    )
  })

  it('begin as their beginnings do', () => {
    fc.assert(
      fc.property(texts, fc.nat(20), (text, length) => {
        const beginning = text.slice(0, length)
        // Half of a sign is not the beginning of the whole one.
        fc.pre(!/[\ud800-\udbff]$/.test(beginning))
        expect(encodeText(text).startsWith(encodeText(beginning))).toBe(true)
      }),
    )
  })

  it('are left alone where nothing is wrong with them', () => {
    const text = 'plain, \u00e9\u4f60\ud83d\ude00\u2028\ufffd'
    expect(encodeText(text)).toBe(text)
    expect(encodeParameter(['a"\\', null, 1, true])).toBe('{"a\\"\\\\",NULL,1,true}')
  })
})

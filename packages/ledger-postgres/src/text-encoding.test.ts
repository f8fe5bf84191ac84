import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { encodeParameter } from './parameters.ts'
import { decodeText, encodeText } from './text-encoding.ts'

/** Arbitrary code units, often those that need encoding. */
const units = fc.oneof(
  fc.constantFrom(0, 1, 0x30, 0xd800, 0xdbff, 0xdc00, 0xdfff, 0x22, 0x5c),
  fc.nat({ max: 0xffff }),
)
const texts = fc.array(units).map((codes) => String.fromCharCode(...codes))

describe('texts that a database cannot hold', () => {
  it('are restored exactly, and contain no forbidden character while encoded', () => {
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

  it('keep their prefixes', () => {
    fc.assert(
      fc.property(texts, fc.nat(20), (text, length) => {
        const beginning = text.slice(0, length)
        // Half a surrogate pair is not a prefix of the whole one.
        fc.pre(!/[\ud800-\udbff]$/.test(beginning))
        expect(encodeText(text).startsWith(encodeText(beginning))).toBe(true)
      }),
    )
  })

  it('are unchanged if they need no encoding', () => {
    const text = 'plain, \u00e9\u4f60\ud83d\ude00\u2028\ufffd'
    expect(encodeText(text)).toBe(text)
    expect(encodeParameter(['a"\\', null, 1, true])).toBe('{"a\\"\\\\",NULL,1,true}')
  })
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Io } from '../command/io.ts'
import { guardOutput } from './guard-output.ts'
import { escapeJson, toVisible } from './visible-text.ts'

/** Control characters except tabs and line ends, and characters that change the direction of text. */
const forbidden =
  // oxlint-disable-next-line no-control-regex -- it must match control characters
  /\r(?!\n)|[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/

describe('toVisible', () => {
  it.each([
    ['a\u202Eb\u2066c', 'a⟨U+202E⟩b⟨U+2066⟩c'],
    ['a\u200Bb\uFEFF\u00AD', 'a⟨U+200B⟩b⟨U+FEFF⟩⟨U+00AD⟩'],
    ['rm\u200D -rf', 'rm⟨U+200D⟩ -rf'],
    ['tag\u{E0041}', 'tag⟨U+E0041⟩'],
    ['\u001B]52;c;ZXZpbA==\u0007done', 'done'],
    ['\u0007\u001B[31mred\u001B[0m', '⟨U+0007⟩red'],
    ['\u009B31mred', 'red'],
    ['one\r\ntwo\rthree\n\tfour', 'one\r\ntwo\nthree\n\tfour'],
  ])('shows %j as %j', (text, shown) => {
    expect(toVisible(text)).toBe(shown)
  })

  it.each(['👩‍👩‍👧‍👦 ❤️ 🏴󠁧󠁢󠁥󠁮󠁧󠁿 🇩🇪', 'é ñ Z͑ͫ', 'می‌خواهم', 'क्‍ष', '日本語', 'שלום'])('keeps %s', (text) => {
    expect(toVisible(text)).toBe(text)
  })

  it('removes every terminal control sequence', () => {
    const text = fc.string({
      unit: fc.oneof(
        fc.constantFrom('\u001B', '[', ']', 'm', '\u009D', '\u0007', '\u202E', '\r'),
        fc.string(),
      ),
    })
    fc.assert(
      fc.property(text, (each) => {
        expect(toVisible(each)).not.toMatch(forbidden)
        expect(toVisible(toVisible(each))).toBe(toVisible(each))
      }),
    )
  })
})

it('escapes hidden characters in JSON without changing its value', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.string({ unit: 'binary' }), (value, text) => {
      const json = JSON.stringify(
        { value, text, fixed: 'a\u202E\u007F\u0085\u200D\u{E0041}', [text]: 1 },
        null,
        2,
      )
      expect(escapeJson(json)).not.toMatch(forbidden)
      expect(JSON.parse(escapeJson(json))).toEqual(JSON.parse(json))
    }),
  )
})

describe('guardOutput', () => {
  function guarded(form?: 'json') {
    const printed = { out: '', err: '' }
    const io = guardOutput(
      { out: (text) => void (printed.out += text), err: (text) => void (printed.err += text) } as Io,
      form,
    )
    return { io, printed }
  }
  const hostile = '\u001B[31mred\u001B[39m \u001B[8mhidden\u001B[0m \u001B]52;c;eA==\u0007\u202E'

  it('removes every sequence unless colours are on, and then keeps only those the command uses', () => {
    const { io, printed } = guarded()
    io.out(hostile)
    io.allowColours?.()
    io.err(hostile)
    expect(printed.out).toBe('red hidden ⟨U+202E⟩')
    expect(printed.err).toBe('\u001B[31mred\u001B[39m hidden ⟨U+202E⟩')
  })

  it('keeps the value of JSON', () => {
    const { io, printed } = guarded('json')
    io.out(JSON.stringify({ hostile }))
    expect(printed.out).not.toMatch(forbidden)
    expect(JSON.parse(printed.out)).toEqual({ hostile })
  })
})

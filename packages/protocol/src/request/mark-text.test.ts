import { expect, it } from 'vitest'
import { formatMarked, markText } from './mark-text.ts'

it('marks characters that could make a command look like another one', () => {
  expect(markText('rm \u202efr-\u202c x')).toEqual([
    { text: 'rm ', isMark: false },
    { text: 'U+202E', isMark: true },
    { text: 'fr-', isMark: false },
    { text: 'U+202C', isMark: true },
    { text: ' x', isMark: false },
  ])
  const marks = markText('a\u0000b\u001b[31mc\rd\u200be\u2066f\ufeffg\u{e0041}h\u00adi')
  expect(marks.flatMap(({ text, isMark }) => (isMark ? [text] : []))).toEqual([
    'U+0000',
    'U+001B',
    'U+000D',
    'U+200B',
    'U+2066',
    'U+FEFF',
    'U+E0041',
    'U+00AD',
  ])
  // Half of a surrogate pair is no letter of any language.
  expect(formatMarked('\ud800x')).toBe('⟨U+D800⟩x')
})

it.each([
  'echo "Grüße, 世界 👍🏽 עברית ❤️ 1️⃣"\n  done',
  'Привет, мир и люди',
  'Καλημέρα κόσμε',
  'e\u0301 and o\u0302\u0323',
  'हिन्दी ภาษาไทย Tiếng Việt',
  'a: b\n\n\nc',
  '',
])('leaves %j as it is', (text) => {
  expect(formatMarked(text)).toBe(text)
})

it.each([
  ['a    b', 'a⟨4 spaces⟩b'],
  ['a  b', 'a  b'],
  ['a \nb', 'a⟨1 space⟩\nb'],
  [`${' '.repeat(40)}x`, '⟨40 spaces⟩x'],
  ['    x', '    x'],
  ['\tx', '⇥x'],
  [`a${'\n'.repeat(9)}b`, 'a⟨9 line breaks⟩b'],
  ['p\u0430ypal', 'p⟨а U+0430⟩ypal'],
  ['\u0441\u043E\u0440\u0443', '⟨с U+0441⟩⟨о U+043E⟩⟨р U+0440⟩⟨у U+0443⟩'],
  ['\uFF52\uFF4D', '⟨ｒ U+FF52⟩⟨ｍ U+FF4D⟩'],
  ['a\u00A0b', 'a⟨U+00A0⟩b'],
  ['x\u0301\u0302\u0303', 'x\u0301\u0302⟨U+0303⟩'],
  ['rm\uFE0F', 'rm⟨U+FE0F⟩'],
  ['⟨U+202E⟩', '⟨U+27E8⟩U+202E⟨U+27E9⟩'],
  ['cut…', 'cut⟨U+2026⟩'],
])('marks %j as %j', (text, marked) => {
  expect(formatMarked(text)).toBe(marked)
})

it('marks line breaks and double spaces where there is one line', () => {
  expect(formatMarked('a\nb  c │ d', 'line')).toBe('a↵b⟨2 spaces⟩c ⟨U+2502⟩ d')
  expect(formatMarked('\n'.repeat(500), 'line')).toBe('⟨500 line breaks⟩')
})

import { expect, it } from 'vitest'
import { visiblePieces } from './visible-signs.ts'

const hidden = (text: string): string[] =>
  visiblePieces(text).flatMap((piece) => (piece.isHidden ? [piece.text] : []))

it('marks signs that could make a command look like another one', () => {
  expect(visiblePieces('rm \u202efr-\u202c x')).toEqual([
    { text: 'rm ', isHidden: false },
    { text: 'U+202E', isHidden: true },
    { text: 'fr-', isHidden: false },
    { text: 'U+202C', isHidden: true },
    { text: ' x', isHidden: false },
  ])
  expect(hidden('a\u0000b\u001b[31mc\rd\u200be\u2066f\ufeffg\u{e0041}h\u00adi')).toEqual([
    'U+0000',
    'U+001B',
    'U+000D',
    'U+200B',
    'U+2066',
    'U+FEFF',
    'U+E0041',
    'U+00AD',
  ])
  // Half of a pair is no letter of any language.
  expect(hidden('\ud800x')).toEqual(['U+D800'])
})

it('leaves every other text as it is', () => {
  const text = 'echo "Grüße, 世界 👍🏽 עברית ❤️"\n\tdone'
  expect(visiblePieces(text)).toEqual([{ text, isHidden: false }])
  expect(visiblePieces('')).toEqual([])
})

import { expect, it } from 'vitest'
import { splitMarked } from './hit-row.tsx'

const told = (text: string, matches: readonly (readonly [number, number])[]): string =>
  splitMarked(text, matches)
    .map(({ text: part, isMatch }) => (isMatch ? `[${part}]` : part))
    .join('')

it('marks matches and keeps the whole text', () => {
  expect(told('fix the parser', [[8, 14]])).toBe('fix the [parser]')
  expect(
    told('a b a', [
      [4, 5],
      [0, 1],
    ]),
  ).toBe('[a] b [a]')
  expect(told('', [])).toBe('')
})

it('ignores matches outside the text', () => {
  expect(
    told('abc', [
      [2, 9],
      [1, 1],
      [-1, 1],
      [0, 2],
      [1, 3],
      [Number.NaN, 2],
    ]),
  ).toBe('[ab]c')
})

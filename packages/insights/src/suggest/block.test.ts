import fc from 'fast-check'
import { expect, it } from 'vitest'
import { findBlock, withBlock } from './block.ts'

const texts = fc
  .array(fc.constantFrom('# A', '\n', '\r\n', 'b', ' ', '<!-- remora -->'))
  .map((all) => all.join(''))

it('appends the block, and later replaces it in place', () => {
  const first = withBlock('# Mine\n', '- one\n')
  expect(first).toBe('# Mine\n\n<!-- remora: lessons begin -->\n- one\n<!-- remora: lessons end -->\n')
  const around = `${first}\n## More\n`
  expect(withBlock(around, '- two\n')).toBe(around.replace('one', 'two'))
  expect(withBlock('', '- one')).toMatch(/^<!-- remora: lessons begin -->\n- one\n/)
  expect(withBlock('a\r\n', '- one\n- two')).not.toMatch(/[^\r]\n/)
})

it('is idempotent, and removes the block without a trace', () => {
  fc.assert(
    fc.property(texts, texts, (before, after) => {
      const once = withBlock(before, '- one')
      const whole = once + after
      const place = findBlock(whole)!
      expect(withBlock(whole, '- one')).toBe(whole)
      const changed = withBlock(whole, '- two')
      expect(changed.startsWith(whole.slice(0, place.start))).toBe(true)
      expect(changed.endsWith(whole.slice(place.end))).toBe(true)
      expect(withBlock(once, '')).toBe(before)
    }),
  )
})

it('keeps the lines before and after a removed block apart', () => {
  expect(withBlock(`${withBlock('# Mine', '- one')}## More\n`, '')).toBe('# Mine\n## More\n')
})

it('ignores a block without an end', () => {
  const half = 'a\n<!-- remora: lessons begin -->\nmine\n'
  expect(withBlock(half, '- one').startsWith(half)).toBe(true)
})

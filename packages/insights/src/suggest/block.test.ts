import fc from 'fast-check'
import { expect, it } from 'vitest'
import { findBlock, withBlock } from './block.ts'

const texts = fc
  .array(fc.constantFrom('# A', '\n', '\r\n', 'b', ' ', '<!-- remora -->'))
  .map((all) => all.join(''))

it('puts the block at the end, and later in the same place', () => {
  const first = withBlock('# Mine\n', '- one\n')
  expect(first).toBe('# Mine\n\n<!-- remora: lessons begin -->\n- one\n<!-- remora: lessons end -->\n')
  const around = `${first}\n## More\n`
  expect(withBlock(around, '- two\n')).toBe(around.replace('one', 'two'))
  expect(withBlock('', '- one')).toMatch(/^<!-- remora: lessons begin -->\n- one\n/)
  expect(withBlock('a\r\n', '- one\n- two')).not.toMatch(/[^\r]\n/)
})

it('writes the same again, and takes itself away without a trace', () => {
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

it('keeps apart what stands before it and what was written behind it', () => {
  expect(withBlock(`${withBlock('# Mine', '- one')}## More\n`, '')).toBe('# Mine\n## More\n')
})

it('does not take half a block for one', () => {
  const half = 'a\n<!-- remora: lessons begin -->\nmine\n'
  expect(withBlock(half, '- one').startsWith(half)).toBe(true)
})

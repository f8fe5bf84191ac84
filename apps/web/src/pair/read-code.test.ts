import { expect, it } from 'vitest'
import { linkedCode, readCode } from './read-code.ts'

it('extracts the code from typed or pasted text', () => {
  expect(readCode('https://192.168.1.4:4750/#pair=K7QM-2XHD-PB9R')).toBe('K7QM-2XHD-PB9R')
  expect(readCode('  open https://box/#x=1&pair=K7QM%2D2XHD-PB9R now')).toBe('K7QM-2XHD-PB9R')
  expect(readCode('k7qm 2xhd pb9r')).toBe('K7QM-2XHD-PB9R')
  expect(readCode('k7qm2')).toBe('K7QM-2')
  expect(readCode(' – ')).toBe('')
  expect(readCode('a'.repeat(1_000_000))).toHaveLength(60)
})

it('ignores a broken link', () => {
  expect(linkedCode('#pair=%E0%A4%A')).toBe('%E0%A4%A')
  expect(linkedCode('#pear=1')).toBeUndefined()
})

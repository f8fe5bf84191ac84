import { expect, it } from 'vitest'
import { nearest } from './nearest.ts'

it('suggests only similar words', () => {
  expect(nearest('confg', ['config', 'doctor'])).toBe('config')
  expect(nearest('xyz', ['config', 'doctor'])).toBeUndefined()
  expect(nearest('x', [])).toBeUndefined()
})

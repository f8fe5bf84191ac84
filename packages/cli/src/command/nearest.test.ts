import { expect, it } from 'vitest'
import { nearest } from './nearest.ts'

it('guesses only words that are near', () => {
  expect(nearest('confg', ['config', 'doctor'])).toBe('config')
  expect(nearest('xyz', ['config', 'doctor'])).toBeUndefined()
  expect(nearest('x', [])).toBeUndefined()
})

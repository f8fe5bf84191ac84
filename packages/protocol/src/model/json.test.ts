import fc from 'fast-check'
import { expect, it } from 'vitest'
import { JsonError, isDeeper, limitDepth, maxJsonDepth, parseJson, tooDeep } from './json.ts'

const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`

function getFault(text: string): string | undefined {
  try {
    parseJson(text)
    return undefined
  } catch (error) {
    return error instanceof JsonError ? error.fault : String(error)
  }
}

it('parses what JSON.parse parses', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 8 }), (text) => {
      expect(parseJson(text)).toEqual(JSON.parse(text))
      expect(parseJson(text, 'cut')).toEqual(JSON.parse(text))
    }),
  )
})

it('refuses text that is no JSON, too deep or too large', () => {
  expect(getFault('{')).toBe('syntax')
  expect(getFault(nested(maxJsonDepth))).toBeUndefined()
  expect(getFault(nested(maxJsonDepth + 1))).toBe('depth')
  expect(getFault(nested(1_000_000))).toBe('depth')
  expect(getFault(`[${'[],'.repeat(3_000_000)}0]`)).toBe('size')
  // Commas within a text are no values.
  expect(getFault(JSON.stringify('a,"b\\'.repeat(2_000_000)))).toBeUndefined()
})

it('cuts a deep value to a depth at which it can be written as JSON again', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 30_000 }), fc.boolean(), (levels, objects) => {
      const text = objects ? `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}` : nested(levels)
      const value = parseJson(text, 'cut')
      expect(isDeeper(value, maxJsonDepth)).toBe(false)
      expect(JSON.stringify(value).includes(tooDeep)).toBe(levels > maxJsonDepth)
    }),
  )
  expect(limitDepth([[[]], 1], 2)).toEqual([[tooDeep], 1])
  expect(limitDepth(JSON.parse('{"__proto__":{"a":[[]]}}'), 2)).toEqual(
    JSON.parse(`{"__proto__":{"a":"${tooDeep}"}}`),
  )
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { readOutput } from './read-output.ts'

const person = z.object({ name: z.string(), age: z.number().optional() })
const numbers = z.array(z.number())

describe('readOutput', () => {
  it.each([
    ['the whole text', '{"name": "Ada"}', person, { name: 'Ada' }],
    ['among words', 'Here: {"name": "Ada"}. Enjoy!', person, { name: 'Ada' }],
    ['the first that fits', '{"a": 1} {"name": "Ada"}', person, { name: 'Ada' }],
    ['a block', 'So:\n```json\n{"name": "Ada"}\n```\nDone.', person, { name: 'Ada' }],
    ['wrapped', '{"items": [1, 2]}', numbers, [1, 2]],
    ['not wrapped', '[1, 2]', numbers, [1, 2]],
    ['a wrapped value', '{"value": 4}', z.number(), 4],
    ['a value', ' 4 ', z.number(), 4],
    ['with a field called like a wrapping', '{"value": 4}', z.object({ value: z.number() }), { value: 4 }],
    ['anything, as it is', '{"value": 4}', z.unknown(), { value: 4 }],
    [
      'with single quotes and a comma too many',
      "{'name': 'Ada', 'age': 36,}",
      person,
      { name: 'Ada', age: 36 },
    ],
    ['with mistakes among words', "Here: {name: 'Ada'} as asked.", person, { name: 'Ada' }],
    ['with mistakes in a block', "```\n{name: 'Ada'}\n```", person, { name: 'Ada' }],
    ['cut off', '{"name": "Ada", "age": 3', person, { name: 'Ada', age: 3 }],
    ['cut off after words', 'The list: [1, 2, 3', numbers, [1, 2, 3]],
    ['cut off in a block', 'So:\n```json\n{"name": "Ad', person, { name: 'Ad' }],
    ['cut off and wrapped', '{"items": [1, 2', numbers, [1, 2]],
  ])('finds a value: %s', (_, text, schema, value) => {
    expect(readOutput(text, schema)).toEqual({ value })
  })

  it('does not take plain text for data', () => {
    expect(readOutput('I am sorry,\nI cannot.', z.array(z.string()))).toHaveProperty('problem')
    expect(readOutput('I am sorry.', z.string())).toHaveProperty('problem')
  })

  it('reports the mismatch and the start of the answer', () => {
    const text = `{"name": 1}${' x'.repeat(5000)}`
    const { problem } = readOutput(text, person) as { problem: string }
    expect(problem).toContain('expected string')
    expect(problem).toContain(text.slice(0, 2000))
    expect(problem).not.toContain(text.slice(0, 2001))
    expect(readOutput('No.', person)).toEqual({
      problem: 'There is no JSON value in the answer.\nThe answer was:\nNo.',
    })
    expect(readOutput(' ', person)).toEqual({
      problem: 'There is no JSON value in the answer. The answer is empty.',
    })
  })

  it('never throws, whatever the text', () => {
    const pieces = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      '"',
      "'",
      ':',
      ',',
      '```',
      '\n',
      '\\',
      'a',
      '1',
      'null',
      '/*',
      '…',
    )
    const texts = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(pieces).map((all) => all.join('')),
      fc.json(),
    )
    const strict = z.object({ a: z.number() })
    const thrower = z.unknown().transform(() => {
      throw new Error('Broken')
    })
    fc.assert(
      fc.property(
        texts,
        fc.constantFrom(strict, numbers, z.unknown(), z.string(), thrower),
        (text, schema) => {
          const found = readOutput(text, schema)
          if ('value' in found) expect(schema).not.toBe(thrower)
          else expect(typeof found.problem).toBe('string')
        },
      ),
      { numRuns: 500 },
    )
  })

  it('survives deeply nested text', () => {
    expect(readOutput('['.repeat(100_000), numbers)).toHaveProperty('problem')
    expect(readOutput('{"a":'.repeat(20_000), z.json())).toBeDefined()
  })

  it('rejects a schema that cannot be described to a model', () => {
    expect(() => readOutput('1', z.date())).toThrow(expect.objectContaining({ code: 'usage' }))
  })

  it.each([
    [{ a: 1 }, z.object({ a: z.number() })],
    [[1, 2], numbers],
    ['text', z.string()],
    [null, z.null()],
  ])('reads back a written value: %o', (value, schema) => {
    expect(readOutput(JSON.stringify(value), schema)).toEqual({ value })
  })
})

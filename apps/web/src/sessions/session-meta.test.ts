import { expect, it } from 'vitest'
import { withoutMarks } from './session-meta.tsx'

it.each([
  ['**Done**: `a` is right', 'Done: a is right'],
  ['## What I found\n- one\n> two', 'What I found\none\ntwo'],
  ['2 * 3 * 4 and a_b_c stay', '2 * 3 * 4 and a_b_c stay'],
  ['`cut off', '`cut off'],
])('%j is read as %j', (text, plain) => {
  expect(withoutMarks(text)).toBe(plain)
})

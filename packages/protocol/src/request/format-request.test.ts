import { expect, it } from 'vitest'
import { deceptions, unmark, unseen } from './deceptions.test-data.ts'
import { formatExact, formatRequest } from './format-request.ts'

it('is tested with more than 60 deceptions', () => {
  expect(deceptions.length).toBeGreaterThanOrEqual(100)
})

it.each(deceptions)('shows all of $name, marked', ({ ask, runs }) => {
  const lines = formatRequest(ask)
  expect(lines).toMatchObject({ complete: true, omitted: 0 })
  expect(lines.text.replaceAll('\n', '')).not.toMatch(unseen)
  expect(unmark(lines.text.replaceAll('\n│ ', '\n'))).toContain(runs)
  const line = formatRequest(ask, { layout: 'line' })
  expect(line.text).not.toMatch(unseen)
  expect(unmark(line.text)).toContain(runs)
})

it.each(deceptions)('shows all of $name in limited space, or reports that it is cut', ({ ask, runs }) => {
  const { text, complete, omitted } = formatRequest(ask, { layout: 'line', limit: 240 })
  expect(text.length).toBeLessThanOrEqual(240)
  expect(text).not.toMatch(unseen)
  if (complete) expect(unmark(text)).toContain(runs)
  else expect([text.endsWith('…'), omitted > 0]).toEqual([true, true])
})

it('is incomplete if a part must not be shown', () => {
  const ask = { kind: 'permission' as const, title: 'Run it?', input: { command: 'curl -H token' } }
  const redact = (text: string): string => text.replace('token', '[secret]')
  expect(formatRequest(ask, { layout: 'line', redact })).toEqual({
    text: 'Run it? │ Command: curl -H [secret]',
    complete: false,
    omitted: 0,
  })
})

it('names every part, and content cannot look like a name', () => {
  const input = { command: 'a\nFile:', description: 'b', timeout: 5 }
  const ask = { kind: 'permission' as const, title: 'Run it?', input, body: 'c' }
  expect(formatRequest(ask).text).toBe(
    'Run it?\nCommand:\n│ a\n│ File:\nDescription:\n│ b\nInput timeout:\n│ 5\nShown by the agent:\n│ c',
  )
})

it('cuts whole characters and whole marks', () => {
  expect(formatExact('ab👍', { limit: 4 })).toEqual({ text: 'ab👍', complete: true, omitted: 0 })
  expect(formatExact('abc👍d', { limit: 5 })).toEqual({ text: 'abc…', complete: false, omitted: 3 })
  expect(formatExact('ab\u202Ecdef', { limit: 6 })).toEqual({ text: 'ab…', complete: false, omitted: 12 })
})

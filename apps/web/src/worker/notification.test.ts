import { expect, it } from 'vitest'
import { readNotice, toNotification } from './notification.ts'

const whole = {
  version: 1,
  type: 'ask',
  badge: 2,
  title: 'gemini · shop: Run it?',
  body: 'npm test',
  tag: 't',
  session: { agent: 'gemini', session: 's' },
  ask: { id: 'a', digest: 'd' },
  actions: [
    { action: 'allow', title: 'Allow once', option: '1' },
    { action: 'deny', title: 'Deny', option: '3' },
  ],
}

it('reads the notices of our server', () => {
  expect(readNotice(JSON.stringify(whole))).toEqual(whole)
  const badge = { version: 1, type: 'badge', badge: 0, settled: ['t', 'u'] }
  expect(readNotice(JSON.stringify(badge))).toEqual(badge)
})

it('ignores unknown content, and never throws', () => {
  const none = [undefined, '', 'null', '{', '[]', '1', '"ask"', '{"version":2,"type":"ask"}', '{"version":1}']
  for (const text of none) expect(readNotice(text), text).toBeUndefined()
  expect(readNotice(JSON.stringify({ ...whole, body: 'x'.repeat(20_000) }))).toBeUndefined()
  const odd = {
    ...whole,
    badge: '9'.repeat(9),
    title: {},
    body: 7,
    tag: [],
    session: { agent: 'a' },
    ask: 'a',
    actions: [{ action: 'allow' }, { action: 'rm', title: 'x', option: 'y' }, 1],
    settled: [1, 't'],
  }
  expect(readNotice(JSON.stringify(odd))).toEqual({
    version: 1,
    type: 'ask',
    badge: 0,
    actions: [],
    settled: ['t'],
  })
  expect(readNotice('{"version":1,"type":"done","badge":-1e999}')?.badge).toBe(0)
})

it('shows a request with its actions and the data for an answer', () => {
  const shown = toNotification(readNotice(JSON.stringify(whole)), 2)!
  expect(shown.title).toBe('gemini · shop: Run it?')
  expect(shown.options).toMatchObject({
    body: 'npm test',
    tag: 't',
    requireInteraction: true,
    actions: [
      { action: 'allow', title: 'Allow once' },
      { action: 'deny', title: 'Deny' },
    ],
    data: { session: whole.session, ask: whole.ask, actions: whole.actions },
  })
  const third = toNotification(readNotice(JSON.stringify(whole)), 3)!
  expect(third.options.actions?.at(-1)).toEqual({ action: 'open', title: 'Open' })
})

it('offers no answer without a request', () => {
  const { ask: _, ...rest } = whole
  const shown = toNotification(readNotice(JSON.stringify(rest)), 2)!
  expect(shown.options.actions).toBeUndefined()
  expect(shown.options.data).toEqual({ session: whole.session })
})

it('shows nothing for a badge update, and a general text for an unknown notice', () => {
  expect(toNotification(readNotice('{"version":1,"type":"badge","badge":1}'), 2)).toBeUndefined()
  expect(toNotification(undefined, 2)?.options.body).toMatch(/Tap to open/)
})

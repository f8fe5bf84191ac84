import { Notice } from '@remora/protocol/api'
import { expect, it } from 'vitest'
import { deceptions, unmark, unseen } from '../../../protocol/src/request/deceptions.test-data.ts'
import { askNotice } from './notice.ts'

const key = { agent: 'gemini', session: 's-1' }

it.each(deceptions)('shows all of $name, or has no Allow', ({ ask, runs }) => {
  const notice = Notice.parse(askNotice(key, ask, undefined, 1))
  const shown = `${notice.title}\n${notice.body}`
  expect(shown.replace('\n', '')).not.toMatch(unseen)
  const actions = (notice.actions ?? []).map(({ action }) => action)
  expect(actions).toContain('deny')
  if (actions.includes('allow')) expect(unmark(shown)).toContain(runs)
  else expect(shown).toMatch(/…(?:\n|$)/)
})

it('offers to allow what it shows completely', () => {
  const ask = deceptions[0]!.ask
  const short = { ...ask, input: { command: 'npm test' } }
  const notice = askNotice(key, short, undefined, 1)
  expect(notice).toMatchObject({ title: 'gemini: Run it?', body: 'Command: npm test' })
  expect(notice.actions?.map(({ action }) => action)).toEqual(['allow', 'deny'])
})

it('does not offer to allow what a secret or a long session title hides', () => {
  const ask = deceptions[0]!.ask
  const secret = { ...ask, input: { command: 'curl -H "x: sk-ant-api03-abcdefghijklmnopqrstu"' } }
  const masked = askNotice(key, secret, undefined, 1)
  expect(masked.body).toContain('[secret]')
  expect(masked.actions?.map(({ action }) => action)).toEqual(['deny'])
  const live = { title: `${'long '.repeat(50)}\u202E`, cwd: '/x' } as Parameters<typeof askNotice>[2]
  const { title, actions } = askNotice(key, { ...ask, title: 'rm -rf build', input: undefined }, live, 1)
  expect(title).toMatch(/^gemini · long .*…: rm -rf build$/)
  expect(title).not.toMatch(unseen)
  expect(actions?.map(({ action }) => action)).toEqual(['allow', 'deny'])
})

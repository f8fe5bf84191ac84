import { Notice } from '@remora/protocol/api'
import { expect, it } from 'vitest'
import { deceptions, unmark, unseen } from '../../../protocol/src/request/deceptions.test-data.ts'
import { createAskNotice } from './notice.ts'

const key = { agent: 'gemini', session: 's-1' }

it.each(deceptions)('shows all of $name, or has no Allow button', ({ ask, runs }) => {
  const notice = Notice.parse(createAskNotice(key, ask, undefined, 1))
  const shown = `${notice.title}\n${notice.body}`
  expect(shown.replace('\n', '')).not.toMatch(unseen)
  const actions = (notice.actions ?? []).map(({ action }) => action)
  expect(actions).toContain('deny')
  if (actions.includes('allow')) expect(unmark(shown)).toContain(runs)
  else expect(shown).toMatch(/…(?:\n|$)/)
})

it('has an Allow button when it shows the request completely', () => {
  const ask = deceptions[0]!.ask
  const short = { ...ask, input: { command: 'npm test' } }
  const notice = createAskNotice(key, short, undefined, 1)
  expect(notice).toMatchObject({ title: 'gemini: Run it?', body: 'Command: npm test' })
  expect(notice.actions?.map(({ action }) => action)).toEqual(['allow', 'deny'])
})

it('has no Allow button when a secret or a long session title hides a part', () => {
  const ask = deceptions[0]!.ask
  const secret = { ...ask, input: { command: 'curl -H "x: sk-ant-api03-abcdefghijklmnopqrstu"' } }
  const masked = createAskNotice(key, secret, undefined, 1)
  expect(masked.body).toContain('[secret]')
  expect(masked.actions?.map(({ action }) => action)).toEqual(['deny'])
  const live = { title: `${'long '.repeat(50)}\u202E`, cwd: '/x' } as Parameters<typeof createAskNotice>[2]
  const { title, actions } = createAskNotice(
    key,
    { ...ask, title: 'rm -rf build', input: undefined },
    live,
    1,
  )
  expect(title).toMatch(/^gemini · long .*…: rm -rf build$/)
  expect(title).not.toMatch(unseen)
  expect(actions?.map(({ action }) => action)).toEqual(['allow', 'deny'])
})

import type { Answer, Ask } from '@remora/protocol'
import { expect, it } from 'vitest'
import { formatSettlement, getEffect, isMine } from './settlement.ts'

const ask: Ask = {
  id: 'a',
  kind: 'permission',
  title: 'Run it?',
  digest: 'd',
  options: [
    { id: 'yes', label: 'Allow once', effect: 'allow' },
    { id: 'no', label: 'No, thanks', effect: 'deny' },
  ],
}
const answer = (more: Partial<Answer>): Answer => ({ ask: 'a', digest: 'd', by: 'person', ...more })
const say = (more: Partial<Answer>) => formatSettlement(ask, answer(more), 'd-1')

it('says what was decided, and by whom', () => {
  expect(say({ option: 'yes', device: 'My phone (d-1)' })).toBe('You answered: Allow once')
  expect(say({ option: 'no', device: 'Tablet (old) (d-2)' })).toBe(
    'Answered elsewhere: No, thanks, by Tablet (old)',
  )
  expect(say({ option: 'no', device: 'this machine' })).toBe(
    'Answered elsewhere: No, thanks, by the computer',
  )
  const byBob = answer({ option: 'no', person: 'Bob', device: 'Tablet (d-2)' })
  expect(formatSettlement(ask, byBob, 'd-1', 'Ann')).toBe('Answered elsewhere: No, thanks, by Bob, Tablet')
  expect(formatSettlement(ask, byBob, 'd-1', 'Bob')).toBe('Answered elsewhere: No, thanks, by Tablet')
  expect(say({ option: 'gone' })).toBe('Answered elsewhere: gone, by another device')
  expect(say({ text: 'w'.repeat(500) })).toMatch(/^Answered elsewhere: “w{120}…”/)
  expect(say({ by: 'terminal' })).toBe('Answered on the terminal')
  expect(say({ by: 'policy', option: 'yes' })).toBe('Answered by a rule: Allow once')
  expect(say({ by: 'timeout' })).toBe('Timed out: denied')
})

it('recognizes its own answers by id, not by name', () => {
  expect(isMine(answer({ device: 'd-1' }), 'd-1')).toBe(false)
  expect(isMine(answer({ device: 'x (d-12)' }), 'd-1')).toBe(false)
  expect(isMine(answer({ device: 'x (d-1)' }), undefined)).toBe(false)
})

it('distinguishes allow from deny', () => {
  expect(getEffect(ask, answer({ option: 'yes' }))).toBe('allow')
  expect(getEffect(ask, answer({ option: 'no' }))).toBe('deny')
  expect(getEffect(ask, answer({ by: 'timeout' }))).toBe('deny')
  expect(getEffect(ask, answer({ text: 'x' }))).toBe('other')
})

it('marks an inferred answer', () => {
  const inferred = answer({ by: 'terminal', inferred: 'allow' })
  expect(formatSettlement(ask, inferred, 'd-1')).toBe('Allowed in the terminal (inferred)')
  expect(getEffect(ask, inferred)).toBe('allow')
  expect(say({ by: 'terminal', inferred: 'deny' })).toBe('Denied in the terminal (inferred)')
  expect(say({ by: 'cancel' })).toBe('Withdrawn: the agent no longer asks')
})

import { expect, it } from 'vitest'
import { formatTimeLeft } from './ask-header.tsx'
import { groupOptions } from './ask-options.tsx'

it('puts allow and deny at opposite ends, and permanent options after one-time ones', () => {
  const option = (id: string, effect: 'allow' | 'allow_always' | 'deny' | 'deny_always' | 'other') => ({
    id,
    label: id,
    effect,
  })
  const options = [
    option('never', 'deny_always'),
    option('always', 'allow_always'),
    option('no', 'deny'),
    option('edit', 'other'),
    option('yes', 'allow'),
  ]
  const ids = (list: readonly { id: string }[]) => list.map(({ id }) => id)
  const { allow, other, deny } = groupOptions(options)
  expect([ids(allow), ids(other), ids(deny)]).toEqual([['yes', 'always'], ['edit'], ['no', 'never']])
})

it('keeps options with an unknown effect', () => {
  const odd = { id: 'x', label: 'x', effect: 'maybe' as 'other' }
  expect(groupOptions([odd]).other).toEqual([odd])
})

it('formats the remaining time', () => {
  expect([5, 65, 3_600, 3_725].map(formatTimeLeft)).toEqual(['0:05', '1:05', '1:00:00', '1:02:05'])
})

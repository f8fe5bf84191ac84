import { expect, it } from 'vitest'
import { projectOf, shortPath } from './project-of.ts'
import { sessionTitle } from './session-title.ts'
import { shortNumber } from '../ui/short-number.ts'

it('knows the project of a folder, and the repository of a worktree', () => {
  expect(projectOf('/home/me/code/parser/')).toEqual({
    id: '/home/me/code/parser',
    name: 'parser',
    path: '/home/me/code/parser',
  })
  expect(projectOf('/home/me/.remora/worktrees/parser-a1b2c3/fix-login/src')).toMatchObject({
    name: 'parser',
    worktree: 'fix-login',
  })
  expect(projectOf('C:\\work\\deep').name).toBe('deep')
  expect(projectOf('/')).toMatchObject({ id: '/', name: '/' })
  for (const none of [undefined, '']) expect(projectOf(none)).toMatchObject({ id: '', path: undefined })
  expect(projectOf('/worktrees/odd').worktree).toBeUndefined()
})

it('writes a path without the home and without its name', () => {
  expect(shortPath('/home/me/code/x')).toBe('~/code')
  expect(shortPath('/home/me/x')).toBe('~')
  expect(shortPath('/Users/me/code/x')).toBe('~/code')
  expect(shortPath('/srv/x')).toBe('/srv')
  expect(shortPath('/homes/me/x')).toBe('/homes/me')
})

it('calls a session by the best name there is, on one line', () => {
  const entry = { name: 'Mine', title: 'Its', firstPrompt: 'Do it' }
  expect(sessionTitle(entry, { title: 'Live' })).toBe('Mine')
  expect(sessionTitle({ ...entry, name: ' ' }, { title: 'Live' })).toBe('Live')
  expect(sessionTitle({ firstPrompt: 'Do\n\n it' })).toBe('Do it')
  expect(sessionTitle({ title: 'x'.repeat(1_000_000) })).toHaveLength(200)
  expect(sessionTitle(undefined)).toBe('No messages yet')
})

it('writes counts in few signs', () => {
  const written = [0, 7, 999, 1000, 1234, 12_345, 999_999, 1_000_000, 12_500_000, 3e9].map(shortNumber)
  expect(written).toEqual(['0', '7', '999', '1k', '1.2k', '12k', '1M', '1M', '13M', '3G'])
  expect(shortNumber(Number.NaN)).toBe('')
})

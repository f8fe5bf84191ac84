import { expect, it } from 'vitest'
import { getProject, shortPath } from './project.ts'
import { getSessionTitle } from './session-title.ts'
import { formatShortNumber } from '../ui/short-number.ts'

it('finds the project of a folder and the repository of a worktree', () => {
  expect(getProject('/home/me/code/parser/')).toEqual({
    id: '/home/me/code/parser',
    name: 'parser',
    path: '/home/me/code/parser',
  })
  expect(getProject('/home/me/.remora/worktrees/parser-a1b2c3/fix-login/src')).toMatchObject({
    name: 'parser',
    worktree: 'fix-login',
  })
  expect(getProject('C:\\work\\deep').name).toBe('deep')
  expect(getProject('/')).toMatchObject({ id: '/', name: '/' })
  for (const none of [undefined, '']) expect(getProject(none)).toMatchObject({ id: '', path: undefined })
  expect(getProject('/worktrees/odd').worktree).toBeUndefined()
})

it('shortens a path to its parent below the home folder', () => {
  expect(shortPath('/home/me/code/x')).toBe('~/code')
  expect(shortPath('/home/me/x')).toBe('~')
  expect(shortPath('/Users/me/code/x')).toBe('~/code')
  expect(shortPath('/srv/x')).toBe('/srv')
  expect(shortPath('/homes/me/x')).toBe('/homes/me')
})

it('uses the best title, on one line', () => {
  const entry = { name: 'Mine', title: 'Its', firstPrompt: 'Do it' }
  expect(getSessionTitle(entry, { title: 'Live' })).toBe('Mine')
  expect(getSessionTitle({ ...entry, name: ' ' }, { title: 'Live' })).toBe('Live')
  expect(getSessionTitle({ firstPrompt: 'Do\n\n it' })).toBe('Do it')
  expect(getSessionTitle({ title: 'x'.repeat(1_000_000) })).toHaveLength(200)
  expect(getSessionTitle(undefined)).toBe('No messages yet')
})

it('abbreviates counts', () => {
  const written = [0, 7, 999, 1000, 1234, 12_345, 999_999, 1_000_000, 12_500_000, 3e9].map(formatShortNumber)
  expect(written).toEqual(['0', '7', '999', '1k', '1.2k', '12k', '1M', '1M', '13M', '3G'])
  expect(formatShortNumber(Number.NaN)).toBe('')
})

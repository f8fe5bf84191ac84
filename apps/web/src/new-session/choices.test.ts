import type { AgentInfo, SessionInfo } from '@remora/protocol/api'
import { expect, it } from 'vitest'
import { type Choices, fullPath, listRecentFolders, startRequest } from './choices.ts'

const agent: AgentInfo = {
  id: 'claude',
  title: 'Claude Code',
  installed: true,
  problems: [],
  channels: ['headless', 'acp', 'terminal'],
  models: [],
  modes: ['default', 'plan'],
  permissionModes: [
    { id: 'default', label: 'Manual', like: 'ask' },
    { id: 'plan', label: 'Plan', like: 'plan' },
  ],
  modeSwitch: 'cycle',
  effort: ['low', 'high'],
  features: {},
}
const none: Choices = {
  cwd: '/a',
  worktree: false,
  worktreeName: '',
  model: '',
  mode: '',
  effort: '',
  channel: '',
}

it('sends only chosen options', () => {
  expect(startRequest(agent, none, { prompt: ' ' })).toEqual({ agent: 'claude', cwd: '/a' })
  expect(
    startRequest(
      agent,
      {
        cwd: ' ~/b ',
        worktree: true,
        worktreeName: ' x ',
        model: 'opus',
        mode: 'plan',
        effort: 'high',
        channel: 'acp',
      },
      { prompt: ' go\n', home: '/home/me' },
    ),
  ).toEqual({
    agent: 'claude',
    cwd: '/home/me/b',
    prompt: 'go',
    model: 'opus',
    mode: 'plan',
    effort: 'high',
    channel: 'acp',
    worktree: 'x',
  })
  expect(startRequest(agent, { ...none, worktree: true }, { prompt: '' }).worktree).toBe(true)
})

it('understands the name of a mode that an earlier version remembered', () => {
  const gemini = { ...agent, permissionModes: [{ id: 'yolo', label: 'YOLO', like: 'bypass' as const }] }
  expect(startRequest(gemini, { ...none, mode: 'bypassPermissions' }, { prompt: '' }).mode).toBe('yolo')
})

it('does not send options the agent lacks', () => {
  const plain = { ...agent, permissionModes: [], effort: [], channels: ['terminal'] }
  const chosen = { ...none, mode: 'plan', effort: 'high', channel: 'acp' }
  expect(startRequest(plain, chosen, { prompt: '' })).toEqual({ agent: 'claude', cwd: '/a' })
})

it('expands the home folder', () => {
  expect(fullPath('~', '/home/me/')).toBe('/home/me')
  expect(fullPath('~x/a', '/home/me')).toBe('~x/a')
  expect(fullPath('~/a', undefined)).toBe('~/a')
})

it('lists recent folders', () => {
  const at = (cwd: string | undefined, updatedAt: number) => ({ cwd, updatedAt }) as SessionInfo
  const sessions = [
    at('/a', 1),
    at('/b', 3),
    at('/a/', 5),
    at(undefined, 9),
    at('/r/worktrees/x-abc123/wt-1', 8),
    at('/c', 2),
  ]
  expect(listRecentFolders(sessions)).toEqual(['/a', '/b', '/c'])
  expect(listRecentFolders(sessions, 1)).toEqual(['/a'])
})

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { openLedger } from '@remora/ledger'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { writeFailures } from '../insights/desires/transcripts.test-data.ts'
import { TestHome, edit, hello, shell } from '../sessions/home.test-data.ts'
import { textWidth } from './text-width.ts'

let home: TestHome
beforeAll(async () => {
  home = new TestHome()
  writeFailures(home, Date.now())
  for (const each of [hello, edit, shell]) await home.add(each)
  await home.remora(['import', '--no-index'])
  await home.remora(['alias', 'read_files_everywhere', 'read_many_files_everywhere', '--agent', 'gemini'])
  await home.remora(['desires', 'map', 'Bash: missing-command jq', '--doc', 'docs/some/long/path/setup.md'])
  mkdirSync(join(home.path, '.remora-worktrees/project-1a2b3c/wt-1a2b3c4d/.git'), { recursive: true })
  const ledger = await openLedger({ file: join(home.state, 'ledger.db') })
  const live = { id: 'l-7f3k9q', agent: 'opencode', session: edit.id, cwd: `${home.path}/a/long/folder/name` }
  const device = {
    id: 'd-3f9c21a07b',
    name: 'The phone of Ann Lee',
    person: 'Ann Lee',
    pairedAt: 1,
    seenAt: 1e12,
  }
  await ledger.append([], {
    marks: {
      'server/live/a': {
        ...live,
        channel: 'acp',
        startedAt: Date.now(),
        told: { state: 'working', mode: 'bypassPermissions' },
      },
      'server/devices/a': device,
      'server/people/a': { name: 'Ann Lee', role: 'member', addedAt: 1 },
    },
  })
  await ledger.close()
}, 120_000)
afterAll(() => home[Symbol.dispose]())

it.each([
  'agents',
  'alias',
  'config',
  'desires paths',
  'desires list',
  'desires map',
  'desires sources',
  'desires stats',
  'desires struggling',
  'desires turns',
  'desires recoveries',
  'desires env-needs',
  'desires effect',
  'desires similar ReadFile',
  'devices',
  'ls',
  'people',
  'sessions',
  'usage --by agent',
  'usage --by day,model',
  'usage --by session',
  'worktrees',
])('fits 60 columns: remora %s', async (words) => {
  const { code, out } = await home.remora(words.split(' '), {
    terminal: true,
    columns: 60,
    env: { HOME: home.path, PATH: '', NO_COLOR: '1' },
  })
  expect(code).toBe(0)
  expect(out).not.toBe('')
  // Paths are not cut, so that they can be copied.
  const lines = out.split('\n').filter((line) => !line.startsWith('File: '))
  expect(lines.filter((line) => textWidth(line) > 60)).toEqual([])
})

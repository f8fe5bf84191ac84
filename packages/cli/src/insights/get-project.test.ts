import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { getProject } from './get-project.ts'

let folder = ''
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'remora-project-')))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

it('maps a worktree and its folders to the repository', () => {
  const repository = join(folder, 'app')
  const run = (...args: string[]) => execFileSync('git', args, { cwd: repository, stdio: 'pipe' })
  mkdirSync(join(repository, 'src'), { recursive: true })
  run('init', '-q')
  run('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-q', '--allow-empty', '-m', 'first')
  run('worktree', 'add', '-q', join(folder, 'elsewhere', 'fix'))
  mkdirSync(join(folder, 'elsewhere', 'fix', 'src'))
  expect(getProject(join(folder, 'elsewhere', 'fix'))).toBe(repository)
  expect(getProject(join(folder, 'elsewhere', 'fix', 'src'))).toBe(repository)
  expect(getProject(join(repository, 'src'))).toBe(join(repository, 'src'))
  expect(getProject(join(folder, 'missing', 'x'))).toBe(join(folder, 'missing', 'x'))
})

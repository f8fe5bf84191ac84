import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** A real repository with its own home folder. */
export interface TestRepository extends Disposable {
  readonly home: string
  readonly root: string
  readonly env: Readonly<Record<string, string>>
  git(...args: string[]): string
  write(path: string, text: string): void
  commit(message: string): string
}

export function createRepository(
  files: Readonly<Record<string, string>> = { 'a.txt': 'one\ntwo\nthree\n' },
): TestRepository {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'remora-git-')))
  const root = join(home, 'project')
  mkdirSync(root)
  const env = {
    PATH: process.env['PATH'] ?? '/usr/bin:/bin',
    HOME: home,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_AUTHOR_NAME: 'Ann',
    GIT_AUTHOR_EMAIL: 'ann@example.org',
    GIT_COMMITTER_NAME: 'Ann',
    GIT_COMMITTER_EMAIL: 'ann@example.org',
  }
  const git = (...args: string[]): string =>
    execFileSync('git', args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] })
      .toString()
      .trimEnd()
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  git('init', '--quiet', '-b', 'main')
  const repository: TestRepository = {
    home,
    root,
    env,
    git,
    write,
    commit(message) {
      git('add', '-A')
      git('commit', '--quiet', '--allow-empty', '-m', message)
      return git('rev-parse', 'HEAD')
    },
    [Symbol.dispose]: () => rmSync(home, { recursive: true, force: true }),
  }
  for (const [path, text] of Object.entries(files)) write(path, text)
  if (Object.keys(files).length > 0) repository.commit('first')
  return repository
}

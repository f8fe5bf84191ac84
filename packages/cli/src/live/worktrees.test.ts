import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { type RunningCommand, LiveHome, untilListening } from './live-home.test-data.ts'

// Loading the server is slow and must not count towards the timeout of one test.
beforeAll(() => import('@remora/server').then(() => {}), 120_000)

let home: LiveHome
let server: RunningCommand
// The server needs git.
const around = { env: { PATH: process.env['PATH']! } }
const remora = (...words: readonly string[]) => home.remora(words, around)

beforeEach(async () => {
  home = new LiveHome()
  server = home.start(['serve', '--port', '0'], around)
  await untilListening(server)
})
afterEach(async () => {
  await server.stop()
  home[Symbol.dispose]()
})

it('are listed, and removed if nothing is lost', async () => {
  expect(await remora('worktrees')).toMatchObject({
    code: 0,
    err: 'No worktrees.\n  Start an agent in one: remora new gemini --worktree=<name>\n',
  })
  const project = join(home.path, 'project')
  const at = (name: string) => join(realpathSync(home.state), 'worktrees', 'project-1', name)
  const git = (...words: string[]) =>
    execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@b.c', '-C', project, ...words], {
      stdio: 'pipe',
    })
  mkdirSync(project)
  git('init', '-q')
  git('commit', '-q', '--allow-empty', '-m', 'first')
  for (const name of ['one', 'two']) git('worktree', 'add', '-q', '-b', `remora/${name}`, at(name))
  writeFileSync(join(at('two'), 'note.txt'), 'not kept yet')

  const { out } = await remora('worktrees')
  expect(out).toMatch(/^one +remora\/one +clean +~\/project +/m)
  expect(out).toMatch(/^two +remora\/two +changed +~\/project +/m)
  expect((await remora('worktrees', '--json')).json()).toMatchObject([
    { branch: 'remora/one', clean: true, live: [] },
    { branch: 'remora/two', clean: false, live: [] },
  ])

  expect(await remora('worktrees', 'remove', 'three')).toMatchObject({
    code: 1,
    err: expect.stringContaining('No Remora worktree "three"'),
  })
  expect(await remora('worktrees', 'remove', 'two')).toMatchObject({
    code: 1,
    err: expect.stringMatching(
      /Cannot remove worktree .*: it has 1 uncommitted change \(note\.txt\)\n {2}Commit or/,
    ),
  })
  expect(existsSync(join(at('two'), 'note.txt'))).toBe(true)

  expect(await remora('worktrees', 'remove', 'remora/one')).toMatchObject({
    code: 0,
    out: 'Removed the worktree ~/s/worktrees/project-1/one.\n',
  })
  expect(existsSync(at('one'))).toBe(false)

  execFileSync('git', ['-C', at('two'), 'add', '.'])
  execFileSync('git', ['-C', at('two'), '-c', 'user.name=A', '-c', 'user.email=a@b', 'commit', '-qm', 'x'])
  expect((await remora('worktrees', 'remove', at('two'))).out).toBe(
    'Removed the worktree ~/s/worktrees/project-1/two; branch remora/two is kept, because it has its own commits.\n',
  )
})

it('refuse unknown actions', async () => {
  expect(await remora('worktrees', 'make')).toMatchObject({ code: 2 })
  expect(await remora('worktrees', 'remove')).toMatchObject({
    code: 2,
    err: expect.stringContaining('List them: remora worktrees'),
  })
})

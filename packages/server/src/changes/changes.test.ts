import { chmodSync, existsSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Changes, formatDiff, readChanges } from './changes.ts'
import { readHeadCommit } from '../git/repository.ts'
import { createRepository } from '../git/repository.test-data.ts'
import { createContext } from '../files/context.test-data.ts'
import { createChangesRoutes } from '../http/routes/changes.ts'
import { createWorktree } from '../git/worktrees.ts'

type InGit = Extract<Changes, { git: true }>

describe('the changes of a folder', () => {
  it('list every file since a commit: committed, staged, unstaged, renamed, deleted and new', async () => {
    using repository = createRepository({
      'a.txt': 'one\ntwo\nthree\n',
      'gone.txt': 'x\n',
      'old name.txt': 'a long enough text\nto be found again\nunder another name\n',
      'picture.bin': 'a\0b',
      'staged.txt': 's\n',
    })
    const { root, env } = repository
    const start = (await readHeadCommit(root, { env }))!
    repository.write('a.txt', 'one\n2\nthree\n')
    repository.commit('second')
    repository.write('staged.txt', 's\nt\n')
    repository.git('add', 'staged.txt')
    renameSync(join(root, 'old name.txt'), join(root, 'neu "ü".txt'))
    repository.git('add', '-A', 'old name.txt', 'neu "ü".txt')
    rmSync(join(root, 'gone.txt'))
    repository.write('picture.bin', 'a\0c')
    repository.write('sub/new.txt', 'hello\nworld')
    repository.write('.gitignore', 'ignored/\n')
    repository.write('ignored/x', 'x')
    symlinkSync('/etc/passwd', join(root, 'link'))

    const changes = (await readChanges(join(root, 'sub'), { env, since: start })) as InGit
    expect(changes).toMatchObject({ git: true, root, folder: 'sub', branch: 'main', base: start, more: 0 })
    const byPath = Object.fromEntries(changes.files.map((file) => [file.path, file]))
    expect(Object.keys(byPath).toSorted()).toEqual(
      [
        '.gitignore',
        'a.txt',
        'gone.txt',
        'link',
        'neu "ü".txt',
        'picture.bin',
        'staged.txt',
        'sub/new.txt',
      ].toSorted(),
    )
    expect(byPath['a.txt']).toMatchObject({ status: 'modified', additions: 1, deletions: 1 })
    expect(byPath['a.txt']!.hunks).toBe('@@ -1,3 +1,3 @@\n one\n-two\n+2\n three')
    expect(byPath['staged.txt']).toMatchObject({ status: 'modified', hunks: '@@ -1 +1,2 @@\n s\n+t' })
    expect(byPath['neu "ü".txt']).toMatchObject({ status: 'renamed', from: 'old name.txt' })
    expect(byPath['gone.txt']).toMatchObject({ status: 'deleted', deletions: 1 })
    expect(byPath['picture.bin']).toEqual({ path: 'picture.bin', status: 'modified', binary: true })
    expect(byPath['sub/new.txt']).toMatchObject({
      status: 'untracked',
      additions: 2,
      hunks: '@@ -0,0 +1,2 @@\n+hello\n+world\n\\ No newline at end of file',
    })
    // The target path of a link is shown, but not its content.
    expect(byPath['link']!.hunks).toContain('+/etc/passwd')
    expect(JSON.stringify(changes)).not.toContain('root:')

    const sinceHead = (await readChanges(root, { env })) as InGit
    expect(sinceHead.files.map(({ path }) => path)).not.toContain('a.txt')
    const one = (await readChanges(root, { env, since: start, file: 'a.txt' })) as InGit
    expect(one.files.map(({ path }) => path)).toEqual(['a.txt'])
    expect(formatDiff(one.files)).toBe(
      `diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n${one.files[0]!.hunks}`,
    )
    await expect(readChanges(root, { env, file: '../x' })).rejects.toMatchObject({ code: 'usage' })
    await expect(readChanges(root, { env, since: '--output=/tmp/x' })).rejects.toMatchObject({
      code: 'usage',
    })
  })

  it('are found before the first commit and without the base commit, and reported outside git', async () => {
    using repository = createRepository({})
    const { root, env, home } = repository
    repository.write('first.txt', '1\n')
    expect(await readHeadCommit(root, { env })).toBeUndefined()
    expect(await readChanges(root, { env })).toMatchObject({
      git: true,
      files: [{ path: 'first.txt', status: 'untracked' }],
    })
    repository.git('add', '-A')
    expect(await readChanges(root, { env })).toMatchObject({
      files: [{ path: 'first.txt', status: 'added' }],
    })
    repository.commit('first')
    expect(await readChanges(root, { env, since: 'f'.repeat(40) })).toMatchObject({
      baseLost: true,
      files: [],
    })

    const outside = join(home, 'outside')
    mkdirSync(outside)
    expect(await readChanges(outside, { env })).toMatchObject({ git: false })
    expect(await readChanges(join(home, 'nowhere'), { env })).toMatchObject({ git: false })
  })

  it('are limited, and report what they omit', async () => {
    using repository = createRepository({ 'big.txt': 'x\n' })
    const { root, env } = repository
    repository.write('big.txt', 'a line of text\n'.repeat(5_000))
    for (let index = 0; index < 30; index++) repository.write(`many/${index}.txt`, 'some text\n'.repeat(100))
    const changes = (await readChanges(root, { env, perFile: 2_000, total: 10_000 })) as InGit
    const big = changes.files.find(({ path }) => path === 'big.txt')!
    expect(big).toMatchObject({ cut: true, additions: 5_000, deletions: 1 })
    expect(big.hunks!.length).toBeLessThanOrEqual(2_000)
    expect(big.hunks!.endsWith('\n')).toBe(true)
    expect(changes.files.reduce((sum, { hunks = '' }) => sum + hunks.length, 0)).toBeLessThanOrEqual(10_000)
    expect(changes.files).toHaveLength(31)
  })

  it('mark conflicts, and hide the text of files that may contain secrets', async () => {
    using repository = createRepository({ 'a.txt': 'base\n', '.env': 'TOKEN=old\n' })
    const { root, env } = repository
    repository.git('switch', '-q', '-c', 'other')
    repository.write('a.txt', 'theirs\n')
    repository.commit('theirs')
    repository.git('switch', '-q', 'main')
    repository.write('a.txt', 'ours\n')
    repository.commit('ours')
    expect(() => repository.git('merge', 'other')).toThrow()
    repository.write('.env', 'TOKEN=verysecret\n')
    repository.write('deploy/id_rsa', 'verysecret\n')
    const changes = (await readChanges(root, { env })) as InGit
    expect(changes.files.find(({ path }) => path === 'a.txt')).toMatchObject({ status: 'conflict' })
    expect(changes.files.filter(({ secret }) => secret).map(({ path }) => path)).toEqual([
      '.env',
      'deploy/id_rsa',
    ])
    expect(JSON.stringify(changes)).not.toContain('verysecret')
  })

  it('hide a repository that is a folder for keys or contains the state of Remora', async () => {
    using repository = createRepository()
    const { root, env, home } = repository
    repository.write('.remora/vapid.json', '{"privateKey":"verysecret"}\n')
    repository.write('bank', 'verysecret\n')
    repository.write('a.txt', 'verysecret\n')
    const before = (await readChanges(root, { env })) as InGit
    expect(before.files.find(({ path }) => path.startsWith('.remora'))).toMatchObject({ secret: true })
    const keys = join(home, '.password-store')
    renameSync(root, keys)
    const changes = (await readChanges(keys, { env })) as InGit
    expect(changes.files.map(({ secret }) => secret)).toEqual([true, true, true])
    expect(JSON.stringify(changes) + formatDiff(changes.files)).not.toContain('verysecret')
  })

  it('run no program of a hostile repository', async () => {
    using repository = createRepository({
      'a.txt': 'one\n',
      'b.x': 'x\n',
      '.gitattributes': '*.txt filter=evil diff=evil\n*.x filter=a=b\n',
    })
    const { root, env, home } = repository
    const proof = join(home, 'proof')
    const script = join(home, 'evil.sh')
    writeFileSync(script, `#!/bin/sh\necho "$0 $@" >> '${proof}'\ncat\n`)
    chmodSync(script, 0o755)
    for (const name of [
      'core.fsmonitor',
      'core.pager',
      'core.editor',
      'core.sshCommand',
      'core.gitProxy',
      'diff.external',
      'diff.evil.command',
      'diff.evil.textconv',
      'filter.evil.clean',
      'filter.evil.smudge',
      'filter.evil.process',
      'filter.a=b.clean',
      'gpg.program',
      'credential.helper',
      'alias.diff',
    ])
      repository.git('config', name, script)
    repository.git('config', 'filter.evil.required', 'true')
    repository.git('config', 'log.showSignature', 'true')
    repository.git('config', 'remote.origin.url', `ext::${script}`)
    repository.git('config', 'remote.origin.promisor', 'true')
    repository.git('config', 'extensions.partialClone', 'origin')
    repository.git('config', 'protocol.ext.allow', 'always')
    for (const hook of [
      'post-checkout',
      'post-index-change',
      'reference-transaction',
      'fsmonitor-watchman',
      'pre-commit',
    ]) {
      writeFileSync(join(root, '.git/hooks', hook), `#!/bin/sh\necho ${hook} >> '${proof}'\n`)
      chmodSync(join(root, '.git/hooks', hook), 0o755)
    }
    rmSync(proof, { force: true })
    writeFileSync(join(root, 'a.txt'), 'two\n')
    writeFileSync(join(root, 'b.x'), 'y\n')
    const hostile = { ...env, GIT_EXTERNAL_DIFF: script, GIT_PAGER: script, PAGER: script, GIT_TRACE: proof }
    const changes = (await readChanges(root, { env: hostile })) as InGit
    expect(changes.files.map(({ path }) => path)).toEqual(['a.txt', 'b.x'])
    expect(changes.files[0]!.hunks).toBe('@@ -1 +1 @@\n-one\n+two')
    await readHeadCommit(root, { env: hostile })
    expect(existsSync(proof)).toBe(false)
    // Plain git runs the program, so the trap works.
    try {
      repository.git('diff')
    } catch {
      // Git may fail because of the trap.
    }
    expect(existsSync(proof)).toBe(true)
  })

  it('stay within the repository, even if its work tree is configured elsewhere', async () => {
    using repository = createRepository()
    const { root, env, home } = repository
    mkdirSync(join(home, 'private'))
    writeFileSync(join(home, 'private/diary.txt'), 'dear diary\n')
    repository.git('config', 'core.worktree', join(home, 'private'))
    const changes = await readChanges(root, { env })
    expect(changes.git).toBe(false)
    expect(JSON.stringify(changes)).not.toContain('dear diary')
  })
})

describe('the routes of changes', () => {
  it('return the changes since a session started, live or not', async () => {
    using repository = createRepository()
    await using test = await createContext(repository.env)
    const routes = createChangesRoutes(test.context)
    const get = async (session: string, query = '') =>
      test.request(routes, `/api/sessions/gemini/${session}/changes${query}`)
    const first = repository.git('rev-parse', 'HEAD')
    test.live({ id: 'l-1', session: 's-1', cwd: repository.root })
    expect((await get('s-1')).body).toMatchObject({ git: true, since: 'start', base: first, files: [] })
    repository.write('a.txt', 'one\n')
    repository.commit('second')
    repository.write('b.txt', 'new\n')
    expect((await get('s-1')).body).toMatchObject({
      files: [{ path: 'a.txt' }, { path: 'b.txt' }],
      deletions: 2,
      additions: 1,
    })
    expect((await get('s-1', '?since=head')).body).toMatchObject({
      since: 'head',
      files: [{ path: 'b.txt' }],
    })
    expect((await get('s-1', '?file=a.txt')).body).toMatchObject({ files: [{ path: 'a.txt' }] })
    expect((await get('s-1', '?since=never')).status).toBe(400)
    expect((await get('none')).status).toBe(404)

    // The server did not see the start, so the last commit before it is marked as a guess.
    await test.ledger.append([
      {
        events: [
          {
            type: 'session',
            agent: 'gemini',
            session: 'old',
            entity: 'old',
            at: Date.now() + 60_000,
            origin: { channel: 'transcripts', source: 'x', key: '1' },
            cwd: repository.root,
          },
        ],
      },
    ])
    expect((await get('old')).body).toMatchObject({
      guessed: true,
      base: repository.git('rev-parse', 'HEAD'),
    })
    test.live({ id: 'l-2', session: 's-2', cwd: test.home })
    expect((await get('s-2')).body).toMatchObject({ git: false })
  })

  it('list worktrees and remove an unused one', async () => {
    using repository = createRepository()
    await using test = await createContext(repository.env)
    const routes = createChangesRoutes(test.context)
    const { path } = await createWorktree(test.context.remoraHome, repository.root, 'one', {
      env: repository.env,
    })
    test.live({ id: 'l-1', cwd: path })
    const list = await test.request(routes, '/api/worktrees')
    expect(list.body).toMatchObject({
      worktrees: [{ path, branch: 'remora/one', clean: true, live: ['l-1'] }],
    })
    const remove = (path: string) =>
      test.request(routes, '/api/worktrees/remove', { method: 'POST', body: JSON.stringify({ path }) })
    for (const used of [path, `${path}/`, join(path, '..', 'one')])
      expect(await remove(used), used).toMatchObject({ status: 409 })
    test.live({ id: 'l-1', state: 'ended' })
    expect((await remove(repository.root)).status).toBe(403)
    expect(await remove(path)).toMatchObject({ status: 200, body: { branchKept: false } })
    expect(existsSync(path)).toBe(false)
  })
})

import { chmodSync, existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createRepository } from './repository.test-data.ts'
import { createWorktree, listWorktrees, removeWorktree } from './worktrees.ts'

describe('a worktree', () => {
  it('has its own folder outside the repository and its own branch, and is removed completely', async () => {
    using repository = createRepository({ 'a.txt': 'a\n', 'sub/b.txt': 'b\n' })
    const { root, env, home } = repository
    const state = join(home, '.remora')
    const hook = join(root, '.git/hooks/post-checkout')
    writeFileSync(hook, `#!/bin/sh\ntouch '${join(home, 'proof')}'\n`)
    chmodSync(hook, 0o755)
    const worktree = await createWorktree(state, join(root, 'sub'), 'fix-login', { env })
    expect(worktree).toMatchObject({ branch: 'remora/fix-login', of: root, cwd: join(worktree.path, 'sub') })
    // Outside Remora's folder, which the user may delete.
    expect(worktree.path.startsWith(join(home, '.remora-worktrees'))).toBe(true)
    expect(existsSync(join(worktree.path, 'a.txt'))).toBe(true)
    expect(existsSync(join(home, 'proof'))).toBe(false)
    expect(repository.git('status', '--porcelain')).toBe('')
    expect(await listWorktrees(state, { env })).toEqual([
      { path: worktree.path, branch: 'remora/fix-login', of: root, clean: true },
    ])
    await expect(createWorktree(state, root, 'fix-login', { env })).rejects.toMatchObject({
      code: 'conflict',
    })
    expect(await removeWorktree(state, worktree.path, { env })).toEqual({
      path: worktree.path,
      branch: 'remora/fix-login',
      branchKept: false,
    })
    expect(existsSync(worktree.path)).toBe(false)
    expect(repository.git('branch', '--list', 'remora/*')).toBe('')
    expect(repository.git('worktree', 'list').split('\n')).toHaveLength(1)
  })

  it('of an earlier version, inside Remora’s folder, is listed and removed', async () => {
    using repository = createRepository()
    const { env, home } = repository
    const state = join(home, '.remora')
    const path = join(state, 'worktrees', 'app-abc123', 'old')
    repository.git('worktree', 'add', '-q', '-b', 'remora/old', path)
    expect(await listWorktrees(state, { env })).toMatchObject([{ path, branch: 'remora/old', clean: true }])
    expect(await removeWorktree(state, path, { env })).toMatchObject({ path, branchKept: false })
    expect(await listWorktrees(state, { env })).toEqual([])
  })

  it('is not removed if work would be lost', async () => {
    using repository = createRepository()
    const { root, env, home } = repository
    const state = join(home, '.remora')
    const { path, branch } = await createWorktree(state, root, undefined, { env })
    expect(branch).toMatch(/^remora\/wt-[0-9a-f]{8}$/)
    const at = (...args: string[]) => repository.git('-C', path, ...args)
    const remove = () => removeWorktree(state, path, { env })

    writeFileSync(join(path, 'new.txt'), 'new\n')
    await expect(remove()).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('new.txt'),
    })
    at('add', '-A')
    at('commit', '-qm', 'work')
    at('switch', '-q', '--detach')
    writeFileSync(join(path, 'more.txt'), 'more\n')
    at('add', '-A')
    at('commit', '-qm', 'on no branch')
    await expect(remove()).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('commits are not on any branch'),
    })
    at('switch', '-q', branch)
    // A commit that only this branch has keeps the branch, but the folder is removed.
    expect(await remove()).toEqual({ path, branch, branchKept: true })
    expect(existsSync(path)).toBe(false)
    expect(repository.git('log', '-1', '--format=%s', branch)).toBe('work')
  })

  it('loses its branch once another branch has its commits', async () => {
    using repository = createRepository()
    const { root, env, home } = repository
    const state = join(home, '.remora')
    const { path, branch } = await createWorktree(state, root, 'merged', { env })
    writeFileSync(join(path, 'new.txt'), 'new\n')
    repository.git('-C', path, 'add', '-A')
    repository.git('-C', path, 'commit', '-qm', 'work')
    repository.git('merge', '-q', branch)
    expect(await removeWorktree(state, path, { env })).toMatchObject({ branchKept: false })
  })

  it('is refused for other folders, outside git and with an invalid name', async () => {
    using repository = createRepository()
    const { root, env, home } = repository
    const state = join(home, '.remora')
    await createWorktree(state, root, 'ours', { env })
    repository.git('worktree', 'add', '-q', '-b', 'mine', join(home, 'mine'))
    for (const path of [join(home, 'mine'), root, `${state}-worktrees`, `${state}-worktrees/../mine`])
      await expect(removeWorktree(state, path, { env })).rejects.toMatchObject({ code: 'permission' })
    await expect(removeWorktree(state, join(home, 'none'), { env })).rejects.toMatchObject({
      code: 'not_found',
    })
    await expect(createWorktree(state, home, 'x', { env })).rejects.toMatchObject({ code: 'unsupported' })
    for (const name of ['../x', '-x', 'a b', 'a/b', 'a..b', 'x.lock', '', 'x'.repeat(80)])
      await expect(createWorktree(state, root, name, { env })).rejects.toMatchObject({ code: 'usage' })
    using empty = createRepository({})
    await expect(createWorktree(state, empty.root, 'x', { env })).rejects.toMatchObject({
      code: 'unsupported',
    })
  })
})

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createContext } from '../../files/context.test-data.ts'
import { createRepository } from '../../git/repository.test-data.ts'
import { changesRoutes } from './changes.ts'
import { createWorktree } from '../../git/worktrees.ts'

describe('the routes of changes', () => {
  it('return the changes since a session started, live or not', async () => {
    using repository = createRepository()
    await using test = await createContext(repository.env)
    const routes = changesRoutes(test.context)
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
    const routes = changesRoutes(test.context)
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

import { realpath } from 'node:fs/promises'
import { resolve } from 'node:path'
import { RemoraError } from '@remora/protocol/plain'
import { Hono } from 'hono'
import { Changes, Worktree, since } from '@remora/protocol/api'
import { z } from 'zod'
import type { Context } from '../context.ts'
import { isBelow } from '../files/below.ts'
import { SessionParams } from '../http/shapes.ts'
import { readChanges } from './changes.ts'
import { described, serve } from './serve.ts'
import { folderOf } from './session-folder.ts'
import { type SessionStarts, watchStarts } from './starts.ts'
import { listWorktrees, removeWorktree } from './worktrees.ts'

const path = z.string().min(1).max(4_096)

export const changesApi = {
  changes: described(
    'get',
    'viewer',
    '/api/sessions/:agent/:session/changes',
    'What changed in the folder of a session by git, since it began or since the last commit; of one file only, if it is named',
    {
      params: SessionParams,
      query: z.object({ since: since.default('start'), file: path.optional() }),
      response: Changes,
    },
  ),
  worktrees: described('get', 'viewer', '/api/worktrees', 'The worktrees that sessions were started in', {
    response: z.object({ worktrees: z.array(Worktree) }),
  }),
  removeWorktree: described(
    'post',
    'member',
    '/api/worktrees/remove',
    'Removes one, if nothing is lost by it',
    {
      body: z.strictObject({ path }),
      response: z.object({ path: z.string(), branch: z.string().optional(), branchKept: z.boolean() }),
    },
  ),
}

/**
 * What changed in the folders of sessions, and the worktrees that they have.
 *
 * @example const mounts = [changesRoutes(context)]
 */
export function changesRoutes(context: Context, starts: SessionStarts = watchStarts(context)): Hono {
  const { remoraHome, env, live, signal } = context
  const app = new Hono()

  serve(app, changesApi.changes, async ({ params, query: { since, file }, request }) => {
    const { key, cwd, startedAt } = await folderOf(context, params)
    const start = since === 'start' ? await starts.of(key, cwd, startedAt) : {}
    const changes = await readChanges(cwd, {
      env,
      signal: AbortSignal.any([signal, request.signal]),
      ...(start.commit === undefined ? {} : { since: start.commit }),
      ...(file === undefined ? {} : { file, perFile: 1_000_000 }),
    })
    return { ...changes, since, ...(start.guessed ? { guessed: true } : {}) }
  })

  serve(app, changesApi.worktrees, async () => {
    const running = live.list().filter(({ state, node }) => state !== 'ended' && !node)
    const worktrees = await listWorktrees(remoraHome, { env, signal })
    return {
      worktrees: worktrees.map((worktree) => ({
        ...worktree,
        live: running.filter(({ cwd }) => isBelow(worktree.path, cwd)).map(({ id }) => id),
      })),
    }
  })

  serve(app, changesApi.removeWorktree, async ({ body: { path } }) => {
    // One folder has many names.
    const folder = await realOf(path)
    const running = live.list().filter(({ state, node }) => state !== 'ended' && !node)
    const folders = await Promise.all(running.map(({ cwd }) => realOf(cwd)))
    const user = running.find((_, index) => isBelow(folder, folders[index]!))
    if (user)
      throw new RemoraError('conflict', `Cannot remove worktree ${path}: ${user.agent} is running in it`, {
        hint: `End it first: remora end ${user.id}`,
      })
    return removeWorktree(remoraHome, path, { env, signal })
  })

  return app
}

async function realOf(path: string): Promise<string> {
  return realpath(path).catch(() => resolve(path))
}

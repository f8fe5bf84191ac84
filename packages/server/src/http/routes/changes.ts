import { realpath } from 'node:fs/promises'
import { resolve } from 'node:path'
import { changesApi } from '@remora/protocol/api'
import { RemoraError } from '@remora/protocol/plain'
import type { Context } from '../../core/context.ts'
import { isBelow } from '../../files/open-below.ts'
import { type Route, implement } from '../route.ts'
import { readChanges } from '../../changes/changes.ts'
import { getSessionFolder } from '../../changes/session-folder.ts'
import { type SessionStarts, watchStarts } from '../../changes/starts.ts'
import { listWorktrees, removeWorktree } from '../../git/worktrees.ts'

/** Git changes in the folders of sessions, and the worktrees of sessions. */
export function createChangesRoutes(context: Context, starts: SessionStarts = watchStarts(context)): Route[] {
  const { remoraHome, env, live, signal } = context
  const listRunning = () => live.list().filter(({ state, node }) => state !== 'ended' && !node)

  return implement(changesApi, {
    async getChanges({ params, query: { since, file }, request }) {
      const { key, cwd, startedAt } = await getSessionFolder(context, params)
      const start = since === 'start' ? await starts.get(key, cwd, startedAt) : {}
      const changes = await readChanges(cwd, {
        env,
        signal: AbortSignal.any([signal, request.signal]),
        since: start.commit,
        ...(file === undefined ? {} : { file, perFile: 1_000_000 }),
      })
      return { ...changes, since, ...(start.guessed ? { guessed: true as const } : {}) }
    },

    async listWorktrees() {
      const running = listRunning()
      const worktrees = await listWorktrees(remoraHome, { env, signal })
      return {
        worktrees: worktrees.map((worktree) => ({
          ...worktree,
          live: running.filter(({ cwd }) => isBelow(worktree.path, cwd)).map(({ id }) => id),
        })),
      }
    },

    async removeWorktree({ body: { path } }) {
      // Symbolic links give one folder several paths.
      const folder = await resolveReal(path)
      const running = listRunning()
      const folders = await Promise.all(running.map(({ cwd }) => resolveReal(cwd)))
      const user = running.find((_, index) => isBelow(folder, folders[index]!))
      if (user)
        throw new RemoraError('conflict', `Cannot remove worktree ${path}: ${user.agent} is running in it`, {
          hint: `End it first: remora end ${user.id}`,
        })
      return removeWorktree(remoraHome, path, { env, signal })
    },
  })
}

async function resolveReal(path: string): Promise<string> {
  return realpath(path).catch(() => resolve(path))
}

import type { SessionInfo } from '@remora/protocol/api'
import { getProject } from '../sessions/project.ts'

/** Recent folders without duplicates. Worktrees are left out, because each was made for one session. */
export function listRecentFolders(sessions: Iterable<SessionInfo>, most = 8): string[] {
  const latest = new Map<string, number>()
  for (const { cwd, updatedAt } of sessions) {
    const { path, worktree } = getProject(cwd)
    if (path === undefined || worktree !== undefined) continue
    if (updatedAt > (latest.get(path) ?? -1)) latest.set(path, updatedAt)
  }
  return [...latest]
    .toSorted(([, left], [, right]) => right - left)
    .slice(0, most)
    .map(([path]) => path)
}

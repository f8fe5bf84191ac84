import type { LiveInfo, StartRequest } from '@remora/protocol'
import { createWorktree, removeWorktree } from '../git/worktrees.ts'
import { folderOf } from './start-request.ts'

export interface StartPlace {
  readonly cwd: string
  readonly worktree?: NonNullable<LiveInfo['worktree']>
  /** Takes back what was made for a session that could not be started. */
  undo(): Promise<void>
}

/** Where a session is to work: the folder that was named, or a worktree of its own. */
export async function startPlace(
  remoraHome: string,
  { cwd, worktree: wanted }: StartRequest,
): Promise<StartPlace> {
  const folder = folderOf(cwd)
  if (!wanted) return { cwd: folder, undo: async () => {} }
  const made = await createWorktree(remoraHome, folder, wanted === true ? undefined : wanted)
  const { path, branch, of } = made
  return {
    cwd: made.cwd,
    worktree: { path, branch, of },
    // Not clean, it stays: somebody's work is in it.
    undo: () =>
      removeWorktree(remoraHome, path).then(
        () => {},
        () => {},
      ),
  }
}

import { randomInt } from 'node:crypto'
import { realpathSync, statSync } from 'node:fs'
import { type LiveInfo, RemoraError, type StartRequest } from '@remora/protocol'
import { type Agent, checkModeWord, findAgent } from '@remora/sdk'
import { findBrokenAgent } from '@remora/sdk/plugins'
import { createWorktree, removeWorktree } from '../git/worktrees.ts'

/** The agent of a request. Throws for a request that no agent can start. */
export function getAgent({ agent: name, mode, fork, resume }: StartRequest): Agent {
  const agent = findAgent(name)
  const problem = agent ? undefined : findBrokenAgent(name)?.problem
  if (problem) throw new RemoraError('config', problem.message, { hint: problem.hint })
  if (!agent) throw new RemoraError('not_found', `Unknown agent "${name}"`, { hint: 'See: remora agents' })
  if (mode !== undefined) checkModeWord(agent, mode)
  if (fork && resume === undefined)
    throw new RemoraError('usage', 'A fork needs a session', { hint: 'Pass it as `resume`.' })
  return agent
}

export interface PreparedFolder {
  readonly cwd: string
  readonly worktree?: NonNullable<LiveInfo['worktree']>
  /** Removes a worktree that was created for a session that failed to start. */
  undo(): Promise<void>
}

/** The real path of the requested folder, or of a new worktree. */
export async function prepareFolder(
  remoraHome: string,
  { cwd, worktree: wanted }: StartRequest,
): Promise<PreparedFolder> {
  const folder = resolveFolder(cwd)
  if (!wanted) return { cwd: folder, undo: async () => {} }
  const created = await createWorktree(remoraHome, folder, wanted === true ? undefined : wanted)
  const { path, branch, of } = created
  return {
    cwd: created.cwd,
    worktree: { path, branch, of },
    // A worktree with changes is not removed: it contains work of a user.
    undo: () =>
      removeWorktree(remoraHome, path).then(
        () => {},
        () => {},
      ),
  }
}

function resolveFolder(cwd: string): string {
  try {
    const real = realpathSync(cwd)
    if (statSync(real).isDirectory()) return real
  } catch (cause) {
    throw new RemoraError('usage', `Folder ${cwd} does not exist`, {
      hint: 'Choose an existing folder.',
      cause,
    })
  }
  throw new RemoraError('usage', `${cwd} is not a folder`, { hint: 'Choose a folder.' })
}

// Without characters that look alike.
const letters = 'abcdefghjkmnpqrstuvwxyz23456789'

/** Short enough to type. @example createId((id) => false) // 'l-7f3k9q' */
export function createId(isTaken: (id: string) => boolean, length = 6): string {
  for (;;) {
    const id = `l-${Array.from({ length }, () => letters[randomInt(letters.length)]).join('')}`
    if (!isTaken(id)) return id
  }
}

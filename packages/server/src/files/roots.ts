import { realpath } from 'node:fs/promises'
import { getWorktreeRoots } from '../git/worktrees.ts'
import type { Context } from '../core/context.ts'

/** The folders in which files may be shown, by real paths and by the paths that users write. */
export interface Roots {
  readonly real: readonly string[]
  readonly written: readonly string[]
  /** Remora's own folder, of which only uploads and worktrees may be shown. */
  readonly remoraHome: string
}

/** Roots that would expose the whole machine are rejected. */
const rejectedRoots = new Set([
  '/',
  '/home',
  '/Users',
  '/etc',
  '/usr',
  '/var',
  '/proc',
  '/sys',
  '/dev',
  '/run',
])

/**
 * Lists the user's home, the folders of running sessions, and the configured folders.
 *
 * @example const roots = await findRoots(context, ['/srv/projects'])
 */
export async function findRoots(
  context: Pick<Context, 'home' | 'remoraHome' | 'live'>,
  configured: readonly string[] = [],
): Promise<Roots> {
  const { home, remoraHome, live } = context
  const written = new Set([
    home,
    ...getWorktreeRoots(remoraHome),
    ...live
      .list()
      .filter(({ state, node }) => state !== 'ended' && node === undefined)
      .map(({ cwd }) => cwd),
    ...configured,
  ])
  const real = new Set<string>()
  for (const root of written) {
    const path = await realpath(root).catch(() => undefined)
    if (path === undefined || rejectedRoots.has(path)) written.delete(root)
    else real.add(path)
  }
  return {
    real: [...real],
    written: [...written],
    remoraHome: await realpath(remoraHome).catch(() => remoraHome),
  }
}

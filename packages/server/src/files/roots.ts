import { realpath } from 'node:fs/promises'
import { worktreeRoots } from '../git/worktrees.ts'
import type { Context } from '../core/context.ts'

/** Where files may be looked at, by real paths, and by the paths as people write them. */
export interface Roots {
  readonly real: readonly string[]
  readonly written: readonly string[]
  /** Remora's own folder, in which only uploads and worktrees may be seen. */
  readonly remoraHome: string
}

/** A root that would open the whole machine is none. */
const tooWide = new Set(['/', '/home', '/Users', '/etc', '/usr', '/var', '/proc', '/sys', '/dev', '/run'])

/**
 * The user's home, the folders of sessions that go on now, and what the configuration names.
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
    ...worktreeRoots(remoraHome),
    ...live
      .list()
      .filter(({ state, node }) => state !== 'ended' && node === undefined)
      .map(({ cwd }) => cwd),
    ...configured,
  ])
  const real = new Set<string>()
  for (const root of written) {
    const path = await realpath(root).catch(() => undefined)
    if (path === undefined || tooWide.has(path)) written.delete(root)
    else real.add(path)
  }
  return {
    real: [...real],
    written: [...written],
    remoraHome: await realpath(remoraHome).catch(() => remoraHome),
  }
}

import { lstat, readlink } from 'node:fs/promises'
import { isAbsolute, join, parse, relative, resolve, sep } from 'node:path'
import { RemoraError } from '@remora/protocol/plain'

// The limit at which Linux assumes a loop.
const mostLinks = 40

/**
 * Resolves a path: follows every link, also one to a missing target, and applies `..` like the system, after links.
 * Missing parts are kept as written.
 *
 * @example await resolveRealPath('/home/me/project/link/file.txt') // '/home/me/elsewhere/file.txt'
 */
export async function resolveRealPath(path: string): Promise<string> {
  const { root } = parse(resolve(path))
  const ahead = splitPath(isAbsolute(path) ? path : join(process.cwd(), path))
  let place = root
  let links = 0
  for (let part = ahead.shift(); part !== undefined; part = ahead.shift()) {
    const next = part === '..' ? parse(place).dir || root : join(place, part)
    const target = part === '..' ? undefined : await readLinkTarget(next)
    if (target === undefined) {
      place = next
      continue
    }
    if (++links > mostLinks)
      throw new RemoraError('input', `${path} leads through more than ${mostLinks} links`, {
        hint: 'Two links may lead to each other.',
      })
    ahead.unshift(...splitPath(target))
    if (isAbsolute(target)) place = parse(target).root
  }
  return place
}

/** Whether a path is a folder or below it; both must be resolved. @example isInside('/a', '/ab') // false */
export function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path)
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way))
}

/** Unlike `join`, does not remove `..` before a link is followed. */
function splitPath(path: string): string[] {
  return path
    .slice(parse(path).root.length)
    .split(sep === '\\' ? /[\\/]/ : '/')
    .filter((part) => part !== '' && part !== '.')
}

async function readLinkTarget(path: string): Promise<string | undefined> {
  try {
    return (await lstat(path)).isSymbolicLink() ? await readlink(path) : undefined
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EINVAL') return undefined
    if (code === 'ENAMETOOLONG') throw new RemoraError('input', 'The path is too long', { cause: error })
    throw new RemoraError('permission', `${path} may not be looked at`, { cause: error })
  }
}

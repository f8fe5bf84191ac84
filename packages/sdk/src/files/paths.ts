import { access, realpath } from 'node:fs/promises'
import { dirname, isAbsolute, relative, sep } from 'node:path'

export async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}

/** Resolves symbolic links; returns the path itself if it does not exist. */
export async function resolveLinks(path: string): Promise<string> {
  return realpath(path).catch(() => path)
}

/** Lists a folder and its ancestors, innermost first. */
export function listAncestors(folder: string): string[] {
  const parent = dirname(folder)
  return parent === folder ? [folder] : [folder, ...listAncestors(parent)]
}

/** Whether a path is the folder or inside it. */
export function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path)
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}

/** Converts backslashes to slashes, so that one pattern works on every platform. */
export function toSlashes(path: string): string {
  return path.replaceAll('\\', '/')
}

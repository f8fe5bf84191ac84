import { access, realpath } from 'node:fs/promises'
import { dirname, isAbsolute, relative, sep } from 'node:path'

export async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}

/** A path without links; itself where it does not exist. */
export async function resolveLinks(path: string): Promise<string> {
  return realpath(path).catch(() => path)
}

/** A folder and all that hold it, from the inside out. */
export function listAncestors(folder: string): string[] {
  const parent = dirname(folder)
  return parent === folder ? [folder] : [folder, ...listAncestors(parent)]
}

/** Whether a path is a folder or lies in it. */
export function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path)
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}

/** A relative path with forward slashes, so that one pattern serves every platform. */
export function toSlashes(path: string): string {
  return path.replaceAll('\\', '/')
}

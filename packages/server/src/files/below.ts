import { sep } from 'node:path'

/** Whether a path is a folder or inside it: `/home/ann2` is not in `/home/ann`. @example isBelow('/home/ann', '/home/ann/x') */
export function isBelow(root: string, path: string): boolean {
  if (path === root) return true
  return path.startsWith(root.endsWith(sep) ? root : root + sep)
}

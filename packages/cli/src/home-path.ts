import { sep } from 'node:path'

/** A path as people write it. @example homePath('/home/me/app', '/home/me') // '~/app' */
export function homePath(path: string, home: string): string {
  if (path === home) return '~'
  return path.startsWith(home + sep) ? `~${path.slice(home.length)}` : path
}

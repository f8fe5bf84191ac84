import { sep } from 'node:path'
import { toVisible } from './visible-text.ts'

/** A path with `~` for the home folder, on one line. @example homePath('/home/me/app', '/home/me') // '~/app' */
export function homePath(path: string, home: string): string {
  const visible = toVisible(path).replaceAll('\n', '⟨U+000A⟩')
  if (visible === home) return '~'
  return visible.startsWith(home + sep) ? `~${visible.slice(home.length)}` : visible
}

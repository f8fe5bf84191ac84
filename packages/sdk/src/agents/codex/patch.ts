import { posix, win32 } from 'node:path'

/** A file that a patch changes, in the form of Codex's own items. */
export interface Change {
  readonly path: string
  readonly kind: 'add' | 'delete' | 'update'
}

/**
 * The files that an `apply_patch` text changes, by absolute path.
 *
 * @example parseChanges('*** Begin Patch\n*** Add File: a.txt\n+a\n*** End Patch', '/w') // [{ path: '/w/a.txt', kind: 'add' }]
 */
export function parseChanges(patch: string, cwd: string): Change[] {
  return [...patch.matchAll(/^\*\*\* (Add|Delete|Update) File: (.+?)\s*$/gm)].map(([, word, path]) => ({
    path: resolvePath(cwd, path!),
    kind: word!.toLowerCase() as Change['kind'],
  }))
}

/** Resolves a path by the rules of the system on which the session ran, which may be another one. */
export function resolvePath(folder: string, path: string): string {
  if (path.startsWith('/') || /^[a-z]:[\\/]/i.test(path)) return path
  return (/^[a-z]:/i.test(folder) ? win32 : posix).join(folder, path)
}

const heredoc =
  /^\s*(?:cd\s+(?<folder>'[^']*'|"[^"]*"|[^\s;&]+)\s*&&\s*)?apply_?patch\s*<<-?\s*(?<quote>['"]?)(?<end>\w+)\k<quote>\r?\n(?<patch>[\s\S]*?)\r?\n\k<end>\s*$/

/** The patch in a command that only applies it. Codex reports such a command as a file change. */
export function parsePatchCommand(
  command: string,
): { readonly patch: string; readonly folder?: string } | undefined {
  const groups = heredoc.exec(command)?.groups
  if (!groups) return undefined
  const folder = groups['folder']?.replace(/^(['"])(.*)\1$/, '$2')
  return { patch: groups['patch']!, ...(folder === undefined ? {} : { folder }) }
}

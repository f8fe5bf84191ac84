export interface Crumb {
  readonly name: string
  readonly path: string
}

/** Joins a folder and a path. An absolute path stays unchanged. @example joinPath('/srv/app', 'src/a.ts') */
export function joinPath(folder: string, path: string): string {
  if (path.startsWith('/') || path.startsWith('~') || /^[A-Za-z]:[\\/]/.test(path)) return path
  return `${folder.replace(/\/+$/, '')}/${path.replace(/^(?:\.\/)+/, '')}`
}

/**
 * The steps of a path, from the session's folder or else from the root.
 *
 * @example toCrumbs('/srv/app', '/srv/app/src/a.ts') // app, src, a.ts
 */
export function toCrumbs(folder: string, path: string): Crumb[] {
  const root = folder.replace(/\/+$/, '')
  const isBelow = root !== '' && (path === root || path.startsWith(`${root}/`))
  const start = isBelow ? root : ''
  const crumbs: Crumb[] = isBelow ? [{ name: root.split('/').at(-1)!, path: root }] : []
  let now = start
  for (const name of path.slice(start.length).split('/')) {
    if (name === '') continue
    now += `/${name}`
    crumbs.push({ name, path: now })
  }
  return crumbs
}

/** The folder and the name of a path. @example splitPath('src/a.ts') // ['src', 'a.ts'] */
export function splitPath(path: string): readonly [folder: string, name: string] {
  const at = path.lastIndexOf('/')
  return at === -1 ? ['', path] : [path.slice(0, at), path.slice(at + 1)]
}

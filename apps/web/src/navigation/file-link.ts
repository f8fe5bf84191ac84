import { routes } from './routes.ts'
import type { SessionKey } from '../wire/api.ts'

/**
 * The address at which a file or a folder is shown, at a line of it. A path that is not absolute is one of the session's
 * folder.
 *
 * @example <Link href={toFileLink(session, '/srv/app/index.ts', 12)}>…</Link>
 */
export function toFileLink(session: SessionKey, path?: string, line?: number): string {
  const query = new URLSearchParams()
  if (path) query.set('path', path)
  if (line !== undefined && Number.isInteger(line) && line > 0) query.set('line', String(line))
  const written = query.toString()
  return `${routes.session(session, 'files')}${written === '' ? '' : `?${written}`}`
}

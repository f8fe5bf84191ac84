import { routes } from './routes.ts'
import type { SessionKey } from '../wire/api.ts'

/**
 * The URL of a file or folder, optionally at a line. A relative path is resolved in the session's folder.
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

import type { LiveInfo, StartRequest } from '@remora/protocol'
import { type SessionKey, api } from '../wire/api.ts'

/**
 * Goes on with an old session, in the folder where it was: an agent is started that knows what was said.
 *
 * @example go(routes.session(await resumeSession(key, info.cwd)))
 */
export function resumeSession(
  { agent, session }: SessionKey,
  cwd: string,
  more: Pick<StartRequest, 'prompt' | 'mode' | 'model'> = {},
): Promise<LiveInfo> {
  const request: StartRequest = { agent, cwd, resume: session, ...more }
  return api.post('/api/live', { body: request })
}

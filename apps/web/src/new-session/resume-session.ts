import type { LiveInfo, StartRequest } from '@remora/protocol'
import { type SessionKey, api } from '../wire/api.ts'

/** Resumes a session in its folder. @example go(routes.session(await resumeSession(key, info.cwd))) */
export function resumeSession(
  { agent, session }: SessionKey,
  cwd: string,
  more: Pick<StartRequest, 'prompt' | 'mode' | 'model'> = {},
): Promise<LiveInfo> {
  const request: StartRequest = { agent, cwd, resume: session, ...more }
  return api.post('/api/live', { body: request })
}

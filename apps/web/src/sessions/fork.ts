import type { LiveInfo } from '@remora/protocol'
import { useLive } from '../state/live.ts'
import type { SessionKey } from '../wire/api.ts'
import { startLive } from './start-live.ts'

/** Starts a fork of a session. @example const copy = await forkSession(key, cwd) */
export async function forkSession({ agent, session }: SessionKey, cwd: string): Promise<LiveInfo> {
  const live = await startLive({ agent, cwd, resume: session, fork: true })
  useLive.setState(({ live: all }) => (all.has(live.id) ? {} : { live: new Map(all).set(live.id, live) }))
  return live
}

import type { LiveInfo } from '@remora/protocol'
import type { LiveRecord } from './live-record.ts'

/** The changing fields of a live session. Unknown ones are omitted from the result. */
export type LiveNow = Pick<LiveInfo, 'state' | 'since' | 'asks' | 'queued'> & {
  readonly [Name in 'detail' | 'title' | 'mode' | 'model']: string | undefined
}

/** Describes a live session for clients. @example toLiveInfo(record, { state: 'idle', … }) */
export function toLiveInfo(record: LiveRecord, now: LiveNow): LiveInfo {
  const { id, agent, session, channel, cwd, startedAt, adopted, worktree, reviews } = record
  const whole = { id, agent, session, channel, cwd, startedAt, adopted, worktree, reviews, ...now }
  return Object.fromEntries(
    Object.entries(whole).filter(([, value]) => value !== undefined),
  ) as unknown as LiveInfo
}

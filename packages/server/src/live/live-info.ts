import type { LiveInfo } from '@remora/protocol'
import type { LiveRecord } from './live-record.ts'

/** What changes of a live session; what is not known is left out of what is told. */
export type LiveNow = Pick<LiveInfo, 'state' | 'since' | 'asks' | 'queued'> & {
  readonly [Name in 'detail' | 'title' | 'mode' | 'model']: string | undefined
}

/** A live session as surfaces are told of it: what it is, and how it stands. @example toLiveInfo(record, { state: 'idle', … }) */
export function toLiveInfo(record: LiveRecord, now: LiveNow): LiveInfo {
  const { id, agent, session, channel, cwd, startedAt, adopted, worktree, reviews } = record
  const whole = { id, agent, session, channel, cwd, startedAt, adopted, worktree, reviews, ...now }
  return Object.fromEntries(
    Object.entries(whole).filter(([, value]) => value !== undefined),
  ) as unknown as LiveInfo
}

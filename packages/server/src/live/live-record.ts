import type { LiveInfo } from '@remora/protocol'

/** The stored state of a live session, from which the next server process restores it. */
export interface LiveRecord {
  readonly id: string
  readonly agent: string
  /** The agent's own id; ours until that is known. */
  session: string
  readonly channel: LiveInfo['channel']
  readonly cwd: string
  readonly startedAt: number
  readonly adopted: boolean
  /** The pane and the name of its tmux session. */
  readonly terminal?: {
    readonly socket: string
    readonly pane: string
    readonly name: string
    readonly version?: string | undefined
  }
  /** Whether it was started with a hook that waits for decisions. */
  readonly hooked?: boolean
  readonly worktree?: LiveInfo['worktree']
  readonly reviews?: LiveInfo['reviews']
  /** The mode in which it was started. */
  readonly starts?: string
  /** The state that was recorded last, so that the next server process does not record it again. */
  told?:
    | {
        state?: string | undefined
        /** Since when it has been in that state. */
        since?: number
        mode?: string | undefined
        model?: string | undefined
      }
    | undefined
}

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

/** By live id, by the agent's own id, or by a unique prefix of either. @example findByName(live.list(), 'l-7f') */
export function findByName(all: readonly LiveInfo[], word: string): LiveInfo | undefined {
  const exact = all.find(({ id, session }) => id === word || session === word)
  if (exact || word === '') return exact
  const fitting = all.filter(
    ({ id, session }) => id.startsWith(word) || id.startsWith(`l-${word}`) || session.startsWith(word),
  )
  return fitting.length === 1 ? fitting[0] : undefined
}

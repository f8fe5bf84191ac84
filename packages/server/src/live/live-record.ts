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

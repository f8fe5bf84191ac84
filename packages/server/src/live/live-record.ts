import type { LiveInfo } from '@remora/protocol'

/** What must be known of a live session after the server has died, to find it again. */
export interface LiveRecord {
  readonly id: string
  readonly agent: string
  /** The agent's own id; ours until that is known. */
  session: string
  readonly channel: LiveInfo['channel']
  readonly cwd: string
  readonly startedAt: number
  readonly adopted: boolean
  /** Where the pane is, and what tmux calls its session. */
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
  /** What was told last, so that one who comes after us does not tell it again. */
  told?: { state?: string | undefined; mode?: string | undefined; model?: string | undefined } | undefined
}

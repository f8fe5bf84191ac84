import { type LiveInfo, type ModeInfo, findMode } from '@remora/protocol'
import { capabilities, findAgent } from '@remora/sdk'

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
  /** How far the version is known to work, if it is not tested on this channel. */
  readonly support?: LiveInfo['support']
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
} & { readonly modes?: LiveInfo['modes'] }

/** Describes a live session for clients. @example toLiveInfo(record, { state: 'idle', … }) */
export function toLiveInfo(record: LiveRecord, now: LiveNow): LiveInfo {
  const { id, agent, session, channel, cwd, startedAt, adopted, worktree, reviews, support } = record
  const own = { id, agent, session, channel, cwd, startedAt, adopted, worktree, reviews, support }
  const whole = { ...own, modeInfo: findModeInfo({ agent, ...now }, record.terminal?.version), ...now }
  return Object.fromEntries(
    Object.entries(whole).filter(([, value]) => value !== undefined),
  ) as unknown as LiveInfo
}

/** The label of a session's mode, and what the mode is like. @example findModeInfo(live)?.label // 'YOLO' */
export function findModeInfo(
  { agent: id, mode, modes, modeInfo }: Partial<Pick<LiveInfo, 'agent' | 'mode' | 'modes' | 'modeInfo'>>,
  version?: string,
): ModeInfo | undefined {
  if (modeInfo || mode === undefined) return modeInfo
  const agent = findAgent(id ?? '')
  return findMode(modes ?? (agent ? capabilities(agent, version).modes : []), mode)
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

import type { LiveInfo } from '@remora/protocol'
import { type PendingAsk, isSame, findLive } from '../state/live.ts'
import type { SessionKey } from '../wire/api.ts'
import { toAskKey } from './open-ask.ts'

export interface Choice {
  /** Those that are gone through one after the other. */
  readonly row: readonly PendingAsk[]
  /** The one that is shown; none where nobody shall be disturbed. */
  readonly shown: PendingAsk | undefined
  /** What waits and is not shown: the banner tells of it. */
  readonly waiting: readonly PendingAsk[]
}

export interface Situation {
  readonly asks: readonly PendingAsk[]
  readonly live: ReadonlyMap<string, LiveInfo>
  /** The session that a person looks at. */
  readonly looking: SessionKey | undefined
  readonly wanted: SessionKey | 'all' | undefined
  readonly aside: ReadonlySet<string>
  /** The ask that is shown now, by agent, session and id: it stays until it is over. */
  readonly current: string | undefined
}

/** What comes up, and what only the banner tells of. A session that reviews another one's work asks nobody. */
export function chooseAsk({ asks, live, looking, wanted, aside, current }: Situation): Choice {
  const isFrom = (each: PendingAsk, key: SessionKey): boolean => {
    const info = findLive(live, key)
    return isSame(each, key) || (info !== undefined && isSame(each, info))
  }
  const ours = asks.filter((each) => findLive(live, each)?.reviews === undefined)
  const row =
    wanted === 'all' ? ours : asks.filter((each) => (wanted ?? looking) && isFrom(each, (wanted ?? looking)!))
  const open = row.filter(({ settled }) => !settled)
  const kept = row.find((each) => getAskName(each) === current)
  // Without a wish, only what nobody has put aside comes up.
  const shown = kept ?? (wanted ? open[0] : open.find((each) => !aside.has(toAskKey(each))))
  return {
    // What was settled a moment ago counts no longer, but for the one in sight.
    row: row.filter((each) => !each.settled || each === shown),
    shown,
    waiting: ours.filter((each) => !each.settled && (!shown || getAskName(each) !== getAskName(shown))),
  }
}

/** The next one in the row that still waits. */
export function nextAsk(row: readonly PendingAsk[], shown: PendingAsk): PendingAsk | undefined {
  const place = row.findIndex((each) => getAskName(each) === getAskName(shown))
  return [...row.slice(place + 1), ...row.slice(0, Math.max(0, place))].find(({ settled }) => !settled)
}

/** @example getAskName(pending) // stays the same when its content changes */
export function getAskName({ agent, session, ask }: PendingAsk): string {
  return JSON.stringify([agent, session, ask.id])
}

import type { LiveInfo } from '@remora/protocol'
import { type PendingAsk, isSame, findLive } from '../state/live.ts'
import type { SessionKey } from '../wire/api.ts'
import { toAskKey } from './open-ask.ts'

export interface Choice {
  /** The requests to step through. */
  readonly row: readonly PendingAsk[]
  /** The request to show; undefined if none should interrupt. */
  readonly shown: PendingAsk | undefined
  /** Open requests that only the banner shows. */
  readonly waiting: readonly PendingAsk[]
}

export interface Situation {
  readonly asks: readonly PendingAsk[]
  readonly live: ReadonlyMap<string, LiveInfo>
  /** The open session. */
  readonly openSession: SessionKey | undefined
  readonly wanted: SessionKey | 'all' | undefined
  readonly aside: ReadonlySet<string>
  /** The name of the request that is shown now. It stays until it is settled. */
  readonly current: string | undefined
}

/** Chooses the request to show and those for the banner. Review sessions never interrupt the user. */
export function chooseAsk({ asks, live, openSession, wanted, aside, current }: Situation): Choice {
  const isFrom = (each: PendingAsk, key: SessionKey): boolean => {
    const info = findLive(live, key)
    return isSame(each, key) || (info !== undefined && isSame(each, info))
  }
  const ours = asks.filter((each) => findLive(live, each)?.reviews === undefined)
  const row =
    wanted === 'all'
      ? ours
      : asks.filter((each) => (wanted ?? openSession) && isFrom(each, (wanted ?? openSession)!))
  const open = row.filter(({ settled }) => !settled)
  const kept = row.find((each) => getAskName(each) === current)
  // Unless the user asked for requests, dismissed ones do not open by themselves.
  const shown = kept ?? (wanted ? open[0] : open.find((each) => !aside.has(toAskKey(each))))
  return {
    // Requests that were just settled no longer count, except for the one on screen.
    row: row.filter((each) => !each.settled || each === shown),
    shown,
    waiting: ours.filter((each) => !each.settled && (!shown || getAskName(each) !== getAskName(shown))),
  }
}

/** The next open request. */
export function nextAsk(row: readonly PendingAsk[], shown: PendingAsk): PendingAsk | undefined {
  const place = row.findIndex((each) => getAskName(each) === getAskName(shown))
  return [...row.slice(place + 1), ...row.slice(0, Math.max(0, place))].find(({ settled }) => !settled)
}

/** Identifies a request across changes of its content. */
export function getAskName({ agent, session, ask }: PendingAsk): string {
  return JSON.stringify([agent, session, ask.id])
}

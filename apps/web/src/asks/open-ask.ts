import { create } from 'zustand'
import type { PendingAsk } from '../state/live.ts'
import type { SessionKey } from '../wire/api.ts'

interface AskView {
  /** The session whose requests the user opened, or all of them. */
  readonly wanted: SessionKey | 'all' | undefined
  /** Dismissed requests do not open by themselves again. */
  readonly aside: ReadonlySet<string>
  /** Unsent answer drafts by request. */
  readonly texts: ReadonlyMap<string, string>
}

export const useAskView = create<AskView>(() => ({ wanted: undefined, aside: new Set(), texts: new Map() }))

/** Opens the requests of a session, or all requests. @example openAsk({ agent, session }) */
export function openAsk(key?: SessionKey): void {
  useAskView.setState({ wanted: key ? { agent: key.agent, session: key.session } : 'all' })
}

/** Dismisses requests without a decision. The banner leads back to them. */
export function putAside(asks: readonly PendingAsk[]): void {
  useAskView.setState(({ aside }) => ({
    wanted: undefined,
    aside: new Set([...aside, ...asks.map(toAskKey)].slice(-500)),
  }))
}

export function keepText(id: string, text: string): void {
  useAskView.setState(({ texts }) => {
    const next = new Map(texts)
    if (text === '') next.delete(id)
    else next.set(id, text)
    return { texts: next }
  })
}

/** Identifies a request with exactly this content. A changed request has another key. */
export function toAskKey({ agent, session, ask }: PendingAsk): string {
  return JSON.stringify([agent, session, ask.id, ask.digest])
}

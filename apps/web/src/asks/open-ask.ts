import { create } from 'zustand'
import type { PendingAsk } from '../state/live.ts'
import type { SessionKey } from '../wire/api.ts'

interface AskView {
  /** What a person wants to see: the asks of one session, or all of them. */
  readonly wanted: SessionKey | 'all' | undefined
  /** Those that a person has put aside; they do not come up by themselves again. */
  readonly aside: ReadonlySet<string>
  /** What was written as an answer and not sent, by ask. */
  readonly texts: ReadonlyMap<string, string>
}

export const useAskView = create<AskView>(() => ({ wanted: undefined, aside: new Set(), texts: new Map() }))

/** Shows what a session asks, or all that is asked. @example openAsk({ agent, session }) */
export function openAsk(key?: SessionKey): void {
  useAskView.setState({ wanted: key ? { agent: key.agent, session: key.session } : 'all' })
}

/** Nothing is decided; the banner leads back. */
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

/** One ask with exactly this content: what has changed is another one. */
export function toAskKey({ agent, session, ask }: PendingAsk): string {
  return JSON.stringify([agent, session, ask.id, ask.digest])
}

import { setImmediate as otherWork } from 'node:timers/promises'
import type { Ledger, SessionKey } from '@remora/ledger'
import type { Cursor, Event, Message } from '@remora/protocol/plain'
import { foldEvents } from '../fold-events.ts'

interface Folded {
  readonly messages: readonly Message[]
  readonly cursor: Cursor
}

/** Sessions that people scroll through now, by ledger; each is folded again when it has gone on. */
const recent = new WeakMap<object, Map<string, Folded>>()
const kept = 6
/** A longer one is folded each time rather than kept. */
const keptEvents = 20_000

/** All messages of a session, and the place up to which they tell. */
export async function messagesOf(ledger: Pick<Ledger, 'read'>, key: SessionKey): Promise<Folded> {
  const cache = recent.get(ledger) ?? new Map<string, Folded>()
  recent.set(ledger, cache)
  const name = JSON.stringify([key.agent, key.session])
  const known = cache.get(name)
  if (known) {
    const page = await ledger.read({ session: key, after: known.cursor, limit: 1 })
    if (page.events.length === 0 && !page.gap) return { ...known, cursor: page.cursor }
  }
  cache.delete(name)
  const events: Event[] = []
  let cursor: Cursor | undefined
  for (;;) {
    const page = await ledger.read({ session: key, ...(cursor ? { after: cursor } : {}), limit: 1000 })
    for (const { event } of page.events) events.push(event)
    cursor = page.cursor
    if (page.events.length === 0) break
    // Others want their turn too.
    await otherWork()
  }
  const folded = { messages: foldEvents(events), cursor }
  if (events.length <= keptEvents) {
    cache.set(name, folded)
    const [oldest] = cache.keys()
    if (cache.size > kept && oldest !== undefined) cache.delete(oldest)
  }
  return folded
}

import { setImmediate as yieldToLoop } from 'node:timers/promises'
import type { Ledger, SessionKey, StoredEvent } from '@remora/ledger'
import { SessionFold } from '@remora/protocol/fold'
import type { Cursor, Message } from '@remora/protocol/plain'

interface Folded {
  readonly messages: readonly Message[]
  readonly cursor: Cursor
}

interface Kept extends Folded {
  readonly session: SessionFold
  readonly events: number
  readonly timer: NodeJS.Timeout
}

/** Sessions that were read lately, by ledger. */
const recent = new WeakMap<object, Map<string, Kept>>()
const kept = 6
/** Longer sessions are folded for each request rather than kept. */
const keptEvents = 20_000
/** How long a session is kept after its last use. */
const keptMs = 60_000

/**
 * All messages of a session, and the cursor up to which they reach. Only with `originals` they carry the agent's own
 * records: those are several times as large, so they are not kept in memory.
 */
export async function readMessages(
  ledger: Pick<Ledger, 'read'>,
  key: SessionKey,
  { originals = false }: { readonly originals?: boolean | undefined } = {},
): Promise<Folded> {
  const cache = recent.get(ledger) ?? new Map<string, Kept>()
  recent.set(ledger, cache)
  const name = JSON.stringify([key.agent, key.session])
  const known = originals ? undefined : cache.get(name)
  let session = known?.session ?? new SessionFold()
  let { cursor, events = 0 } = known ?? {}
  let isChanged = known === undefined
  for (;;) {
    const page = await ledger.read({ session: key, ...(cursor ? { after: cursor } : {}), limit: 1000 })
    if (page.gap) {
      session = new SessionFold()
      events = 0
    }
    isChanged ||= page.gap === true || page.events.length > 0
    cursor = page.cursor
    if (page.events.length === 0 && !page.gap) break
    session.apply(page.events.map((stored) => (originals ? stored : lean(stored)).event))
    events += page.events.length
    await yieldToLoop()
  }
  // A copy, since the next call changes the list of the session.
  const messages = isChanged ? [...session.messages] : known!.messages
  if (originals) return { messages, cursor }
  drop(cache, name)
  if (events <= keptEvents) {
    const timer = setTimeout(() => drop(cache, name), keptMs).unref()
    cache.set(name, { session, messages, cursor, events, timer })
    const [oldest] = cache.keys()
    if (cache.size > kept && oldest !== undefined) drop(cache, oldest)
  }
  return { messages, cursor }
}

function drop(cache: Map<string, Kept>, name: string): void {
  clearTimeout(cache.get(name)?.timer)
  cache.delete(name)
}

/**
 * Removes the agent's own record from an event: it is most of the bytes, and no surface shows it. Unknown events keep it,
 * because they contain nothing else.
 */
export function lean(stored: StoredEvent): StoredEvent {
  if (stored.event.raw === undefined || stored.event.type === 'unknown') return stored
  const { raw: _, ...event } = stored.event
  return { seq: stored.seq, event }
}

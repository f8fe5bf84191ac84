import { setImmediate as yieldToLoop } from 'node:timers/promises'
import { type Ledger, OpenSession, type SessionKey, type StoredEvent } from '@remora/ledger'
import { SessionFold } from '@remora/protocol/fold'
import type { Cursor, Message } from '@remora/protocol/plain'

interface Folded {
  readonly messages: readonly Message[]
  readonly cursor: Cursor
}

interface CachedSession extends Folded {
  readonly session: SessionFold
  readonly events: number
  readonly timer: NodeJS.Timeout
}

/** Recently read sessions, by ledger. */
const caches = new WeakMap<object, Map<string, CachedSession>>()
const maxCached = 6
/** Longer sessions are folded for each request instead of cached. */
const maxCachedEvents = 20_000
/** How long a session is cached after its last use. */
const cacheMs = 60_000

/** Messages of a session from position `from` on. */
export interface MessagePage extends Folded {
  readonly from: number
  readonly total: number
}

/** Reads messages before a position, or the last ones, which cost as much as a page whatever the length of the session. */
export async function readMessagePage(
  ledger: Pick<Ledger, 'epoch' | 'marks' | 'read'>,
  key: SessionKey,
  range: {
    readonly before?: number | undefined
    readonly limit: number
    readonly originals?: boolean | undefined
  },
): Promise<MessagePage> {
  const { before = Infinity, limit, originals = false } = range
  const take = (messages: readonly Message[], offset: number, cursor: Cursor): MessagePage => {
    const total = offset + messages.length
    const end = Math.min(before, total)
    const from = Math.max(0, end - limit)
    return {
      messages: messages.slice(Math.max(0, from - offset), Math.max(0, end - offset)),
      from,
      total,
      cursor,
    }
  }
  const session = await OpenSession.atEnd({ ledger, key, ...(originals ? {} : { prepare: removeRaw }) })
  if (session.offset > 0 && (await session.readAll())) {
    const page = take(session.messages, session.offset, session.cursor)
    if (page.from >= session.offset) return page
  }
  const { messages, cursor } = await readMessages(ledger, key, { originals })
  return take(messages, 0, cursor)
}

/**
 * Reads all messages of a session and their cursor. The agent's own records are included only with `originals`: they are
 * several times as large, so they are not cached.
 */
export async function readMessages(
  ledger: Pick<Ledger, 'read'>,
  key: SessionKey,
  { originals = false }: { readonly originals?: boolean | undefined } = {},
): Promise<Folded> {
  const cache = caches.get(ledger) ?? new Map<string, CachedSession>()
  caches.set(ledger, cache)
  const name = JSON.stringify([key.agent, key.session])
  const cached = originals ? undefined : cache.get(name)
  let session = cached?.session ?? new SessionFold()
  let { cursor, events = 0 } = cached ?? {}
  let isChanged = cached === undefined
  for (;;) {
    const page = await ledger.read({ session: key, ...(cursor ? { after: cursor } : {}), limit: 1000 })
    if (page.gap) {
      session = new SessionFold()
      events = 0
    }
    isChanged ||= page.gap === true || page.events.length > 0
    cursor = page.cursor
    if (page.events.length === 0 && !page.gap) break
    session.apply(page.events.map((stored) => (originals ? stored : removeRaw(stored)).event))
    events += page.events.length
    await yieldToLoop()
  }
  // A copy, since the next call changes the list of the session.
  const messages = isChanged ? [...session.messages] : cached!.messages
  if (originals) return { messages, cursor }
  drop(cache, name)
  if (events <= maxCachedEvents) {
    const timer = setTimeout(() => drop(cache, name), cacheMs).unref()
    cache.set(name, { session, messages, cursor, events, timer })
    const [oldest] = cache.keys()
    if (cache.size > maxCached && oldest !== undefined) drop(cache, oldest)
  }
  return { messages, cursor }
}

function drop(cache: Map<string, CachedSession>, name: string): void {
  clearTimeout(cache.get(name)?.timer)
  cache.delete(name)
}

/**
 * Removes the agent's own record from an event: it is most of the bytes, and no surface shows it. Unknown events keep it,
 * because they contain nothing else.
 */
export function removeRaw(stored: StoredEvent): StoredEvent {
  if (stored.event.raw === undefined || stored.event.type === 'unknown') return stored
  const { raw: _, ...event } = stored.event
  return { seq: stored.seq, event }
}

import { setImmediate as otherWork } from 'node:timers/promises'
import type { Ledger, SessionKey } from '@remora/ledger'
import type { Cursor, Event, Message } from '@remora/protocol/plain'
import { foldEvents } from '../fold-events.ts'
import { lean } from '../ws/lean.ts'

interface Folded {
  readonly messages: readonly Message[]
  readonly cursor: Cursor
}

interface Kept extends Folded {
  readonly timer: NodeJS.Timeout
}

/** Sessions that people scroll through now, by ledger; each is folded again when it has changed. */
const recent = new WeakMap<object, Map<string, Kept>>()
const kept = 6
/** A longer one is folded each time rather than kept. */
const keptEvents = 20_000
/** How long a session is kept after its last use. */
const keptMs = 60_000

/**
 * All messages of a session, and the cursor up to which they reach. Only with `originals` they carry the agent's own
 * records: those are several times as large, so they are not kept in memory.
 */
export async function messagesOf(
  ledger: Pick<Ledger, 'read'>,
  key: SessionKey,
  { originals = false }: { readonly originals?: boolean | undefined } = {},
): Promise<Folded> {
  const cache = recent.get(ledger) ?? new Map<string, Kept>()
  recent.set(ledger, cache)
  const name = JSON.stringify([key.agent, key.session])
  const known = originals ? undefined : cache.get(name)
  if (known) {
    const page = await ledger.read({ session: key, after: known.cursor, limit: 1 })
    if (page.events.length === 0 && !page.gap) {
      known.timer.refresh()
      return { messages: known.messages, cursor: page.cursor }
    }
    drop(cache, name)
  }
  const events: Event[] = []
  let cursor: Cursor | undefined
  for (;;) {
    const page = await ledger.read({ session: key, ...(cursor ? { after: cursor } : {}), limit: 1000 })
    for (const stored of page.events) events.push((originals ? stored : lean(stored)).event)
    cursor = page.cursor
    if (page.events.length === 0) break
    // Others want their turn too.
    await otherWork()
  }
  const messages = foldEvents(events)
  if (originals) return { messages, cursor }
  const folded = { messages: messages.map((message) => ({ ...message, _original: [] })), cursor }
  if (events.length <= keptEvents) {
    drop(cache, name)
    cache.set(name, { ...folded, timer: setTimeout(() => drop(cache, name), keptMs).unref() })
    const [oldest] = cache.keys()
    if (cache.size > kept && oldest !== undefined) drop(cache, oldest)
  }
  return folded
}

function drop(cache: Map<string, Kept>, name: string): void {
  clearTimeout(cache.get(name)?.timer)
  cache.delete(name)
}

import type { Event, EventRecord } from '@remora/protocol/plain'
import type { SessionKey } from '@remora/ledger'
import { encodeRaw } from '@remora/ledger/internal'
import { hashKey, hashHex } from './hash.ts'
import type { SourceRef } from './source-cache.ts'

/** An event to append, with what is known before reading the database. */
export interface Item {
  readonly event: Event
  /** The index of its record. */
  readonly record: number
  /** The text of its own record, if it has one. */
  readonly own: string | undefined
  /** The hash of its session. */
  readonly session: string
  readonly source: string
  /** The `hashHex` of its key and digest. */
  readonly origin: string
}

export function toItems(records: readonly EventRecord[], names: Names): Item[] {
  const items: Item[] = []
  for (const [record, { events, raw }] of records.entries()) {
    let text = raw
    for (const event of events) {
      let own: string | undefined
      if (event.raw !== undefined) {
        own = text ?? encodeRaw(event)
        text = undefined
      }
      const { channel, source, key, digest = '' } = event.origin
      items.push({
        event,
        record,
        own,
        session: names.session(event),
        source: names.source(channel, source),
        origin: hashHex([key, digest]),
      })
    }
  }
  return items
}

/** Caches hashes of names, since they repeat. */
export class Names {
  readonly #sessions = new Pairs()
  readonly #sources = new Pairs()

  session({ agent, session }: SessionKey): string {
    return this.#sessions.hash(agent, session)
  }

  source(channel: string, source: string): string {
    return this.#sources.hash(channel, source)
  }
}

/** Cache limits: entries, and the length of a name. */
const maxEntries = 10_000
const maxNameLength = 1000

class Pairs {
  readonly #hashes = new Map<string, string>()
  // Events of one session and source usually come together.
  #first: string | undefined
  #second: string | undefined
  #hash = ''

  hash(first: string, second: string): string {
    if (first === this.#first && second === this.#second) return this.#hash
    this.#first = first
    this.#second = second
    return (this.#hash = this.#find(first, second))
  }

  #find(first: string, second: string): string {
    const id = `${first}\0${second}`
    const known = this.#hashes.get(id)
    if (known !== undefined) return known
    const hash = hashKey(first, second)
    if (this.#hashes.size >= maxEntries) this.#hashes.clear()
    if (id.length <= maxNameLength) this.#hashes.set(id, hash)
    return hash
  }
}

/** The sessions of these items, by hash. */
export function listSessionKeys(items: readonly Item[]): Map<string, SessionKey> {
  const keys = new Map<string, SessionKey>()
  for (const { session, event } of items) if (!keys.has(session)) keys.set(session, event)
  return keys
}

/** The unique id of an event's origin. */
export function getOriginId({ origin }: Item, { source }: SourceRef): string {
  return `${source} ${origin}`
}

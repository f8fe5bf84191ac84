import type { Ledger, SessionKey } from '@remora/ledger'
import type { Cursor, Event } from '@remora/protocol/plain'

/** A JSON-RPC message of a session. */
export interface WireMessage {
  readonly at: number
  readonly from: Side
  readonly message: Fields
  /** Its connection, and its number there. */
  readonly connection: string
  readonly number: number
}

export type Side = 'client' | 'agent'
export type Fields = Readonly<Record<string, unknown>>

/** Reads the JSON-RPC messages from events, each once. */
export class WireReader {
  readonly #seen = new Set<string>()

  /** The messages of events, in order. */
  read(events: readonly Event[]): WireMessage[] {
    return inOrder(events.flatMap((event) => this.#read(event) ?? []))
  }

  /** The message of an event, if it is the first of one. */
  #read({ origin, at, raw }: Event): WireMessage | undefined {
    const [, number, side] = /^(\d+)([ca])\./.exec(origin.key) ?? []
    if (origin.channel !== 'acp' || raw === undefined || side === undefined) return undefined
    const id = `${origin.source}/${number}${side}`
    if (this.#seen.has(id)) return undefined
    this.#seen.add(id)
    return {
      at,
      from: side === 'c' ? 'client' : 'agent',
      message: toFields(raw) ?? {},
      connection: origin.source,
      number: Number(number),
    }
  }
}

/**
 * Sorts by number within a connection, because messages before the session exists are stored later, and by time between
 * connections, also if the clock was set back.
 */
function inOrder(messages: readonly WireMessage[]): WireMessage[] {
  const latest = new Map<string, number>()
  const timed = messages
    .toSorted((left, right) => left.number - right.number)
    .map((message) => {
      const at = Math.max(message.at, latest.get(message.connection) ?? 0)
      latest.set(message.connection, at)
      return { message, at }
    })
  return timed
    .toSorted(
      (left, right) =>
        left.at - right.at ||
        compare(left.message.connection, right.message.connection) ||
        left.message.number - right.message.number,
    )
    .map(({ message }) => message)
}

function compare(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0
}

const pageSize = 2000

/** All events of a session in ledger order, page by page. Returns the last cursor. */
export async function* readPages(
  ledger: Ledger,
  { agent, session }: SessionKey,
): AsyncGenerator<Event[], Cursor> {
  const query = { session: { agent, session }, limit: pageSize }
  let page = await ledger.read(query)
  while (page.events.length > 0) {
    yield page.events.map(({ event }) => event)
    page = await ledger.read({ ...query, after: page.cursor })
  }
  return page.cursor
}

export function toFields(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined
}

export function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : []
}

export function toText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

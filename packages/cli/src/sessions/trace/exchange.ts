import { type Fields, type Side, type WireMessage, toFields, toText } from './wire.ts'

/** A message with its request. */
export interface Exchange {
  readonly wire: WireMessage
  readonly kind: 'request' | 'notification' | 'reply'
  /** The method; for a reply, the method of its request, if seen. */
  readonly method: string
  /** The kind of a `session/update`. */
  readonly update: string | undefined
  /** The request that a reply answers. */
  readonly request: Fields | undefined
  /** Time to the reply, in milliseconds. */
  readonly took: number | undefined
}

/** Finds the request of every reply. Each side numbers its own requests. */
export class Exchanges {
  readonly #asked = new Map<string, WireMessage>()

  add(wire: WireMessage): Exchange {
    const { message, from, at } = wire
    const method = toText(message['method'])
    const id = message['id']
    if (method === undefined) {
      const key = getKey(wire, from === 'client' ? 'agent' : 'client')
      const asked = this.#asked.get(key)
      this.#asked.delete(key)
      return {
        wire,
        kind: 'reply',
        method: toText(asked?.message['method']) ?? '(no request seen)',
        update: undefined,
        request: asked?.message,
        took: asked && at - asked.at,
      }
    }
    if (id !== undefined) this.#asked.set(getKey(wire, from), wire)
    const update =
      method === 'session/update'
        ? toText(toFields(toFields(message['params'])?.['update'])?.['sessionUpdate'])
        : undefined
    const kind = id === undefined ? 'notification' : 'request'
    return { wire, kind, method, update, request: undefined, took: undefined }
  }
}

function getKey({ connection, message }: WireMessage, side: Side): string {
  return `${connection} ${side} ${JSON.stringify(message['id'])}`
}

/**
 * Filters messages by method or update kind. Replies match with their requests.
 *
 * @example methodFilter('session/*')
 */
export function methodFilter(glob: string | undefined): (exchange: Exchange) => boolean {
  if (glob === undefined) return () => true
  const source = glob
    .replaceAll(/[.+^${}()|[\]\\]/g, String.raw`\$&`)
    .replaceAll('*', '.*')
    .replaceAll('?', '.')
  const pattern = new RegExp(`^${source}$`, 'i')
  return ({ method, update }) => pattern.test(method) || (update !== undefined && pattern.test(update))
}

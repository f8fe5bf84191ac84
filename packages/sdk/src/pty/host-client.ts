import type { Socket } from 'node:net'
import { type HostMessage, sendBytes, sendMessage } from './wire.ts'

/** A client that is so far behind gets no more output, but a new snapshot when it has read the rest. */
const mostBehind = 8 * 1024 * 1024

/** A connected client of a host. Output that arrives while a snapshot is taken is sent after it. */
export class HostClient {
  readonly role: 'driver' | 'window'
  readonly #socket: Socket
  readonly #onCaughtUp: (client: HostClient) => void
  /** Output that waits for a snapshot before it. A snapshot is empty until it is taken. */
  readonly #queue: (Uint8Array | { send?: () => void })[] = []
  #isBehind = false

  constructor(socket: Socket, role: 'driver' | 'window', onCaughtUp: (client: HostClient) => void) {
    this.#socket = socket
    this.role = role
    this.#onCaughtUp = onCaughtUp
    socket.on('drain', () => {
      if (!this.#isBehind) return
      this.#isBehind = false
      this.#onCaughtUp(this)
    })
  }

  send(message: HostMessage): void {
    sendMessage(this.#socket, message)
  }

  output(bytes: Uint8Array): void {
    if (this.#isBehind) return
    if (this.#queue.length > 0) {
      this.#queue.push(bytes)
      return
    }
    sendBytes(this.#socket, bytes)
    this.#isBehind = this.#socket.writableLength > mostBehind
  }

  /** Sends a snapshot at its position in the output. */
  async insert<T>(snapshot: Promise<T>, send: (value: T) => void): Promise<void> {
    const entry: { send?: () => void } = {}
    this.#queue.push(entry)
    try {
      const value = await snapshot
      entry.send = () => send(value)
    } catch (error) {
      entry.send = () => {}
      throw error
    } finally {
      this.#flush()
    }
  }

  #flush(): void {
    for (let first = this.#queue[0]; first; first = this.#queue[0]) {
      if (first instanceof Uint8Array) sendBytes(this.#socket, first)
      else if (first.send) first.send()
      else return
      this.#queue.shift()
    }
  }

  /** Sends bytes at once, also while a snapshot is taken. */
  direct(bytes: Uint8Array): void {
    sendBytes(this.#socket, bytes)
  }

  close(): void {
    this.#socket.end()
    this.#socket.destroySoon()
  }
}

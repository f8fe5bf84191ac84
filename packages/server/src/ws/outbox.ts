import type { WebSocket } from 'ws'
import { type Limits, limits } from '../security/limits.ts'

type Bounds = Pick<Limits, 'behindBytes' | 'lostBytes' | 'stalledMs' | 'bytesPerSecond'>

/** States that wait for a client that is behind; one that needs more has lost its way. */
const mostStates = 5000

/**
 * What goes to one client. It never grows without bound: of a state only the latest waits, pages of events wait for
 * the client, and one that takes nothing at all is given up.
 */
export class Outbox {
  readonly #socket: WebSocket
  readonly #bounds: Bounds
  readonly #now: () => number
  readonly #states = new Map<string, string | Buffer>()
  /** States that changed before the client was greeted. */
  #held: Map<string, string | Buffer> | undefined = new Map()
  #outstanding = 0
  #progress = 0
  #longest = 0

  constructor(socket: WebSocket, bounds: Bounds = limits, now: () => number = Date.now) {
    this.#socket = socket
    this.#bounds = bounds
    this.#now = now
  }

  /** Whether the client should read at its own pace. */
  get behind(): boolean {
    return this.#socket.bufferedAmount > this.#bounds.behindBytes
  }

  /** Whether it has taken nothing for too long. */
  get stalled(): boolean {
    if (this.#outstanding === 0) return false
    // Progress is seen when a whole frame is gone, and some are long.
    const { stalledMs, bytesPerSecond } = this.#bounds
    const allowed = stalledMs + (this.#longest / bytesPerSecond) * 1000
    return this.#now() - this.#progress > allowed
  }

  /** Now, after everything before it. Resolves false if the client is gone. */
  send(frame: string | Buffer): Promise<boolean> {
    return new Promise((resolve) => this.put(frame, resolve))
  }

  /** The same without waiting for it. */
  put(frame: string | Buffer, done?: (sent: boolean) => void): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return done?.(false)
    if (this.#socket.bufferedAmount > this.#bounds.lostBytes) {
      this.#socket.terminate()
      return done?.(false)
    }
    if (this.#outstanding++ === 0) {
      this.#progress = this.#now()
      this.#longest = 0
    }
    this.#longest = Math.max(this.#longest, frame.length)
    this.#socket.send(frame, { binary: false }, (error) => {
      this.#outstanding -= 1
      this.#progress = this.#now()
      if (this.#states.size > 0 && !this.behind) this.#flush()
      done?.(!error)
    })
  }

  /** What holds now under this key; what held before need not be told any more. */
  state(key: string, frame: string | Buffer): void {
    if (this.#held) {
      this.#held.set(key, frame)
      return
    }
    if (!this.behind) return this.put(frame)
    this.#states.delete(key)
    this.#states.set(key, frame)
    if (this.#states.size > mostStates) this.#socket.terminate()
  }

  /** The client was greeted: states may follow. */
  release(): void {
    const held = this.#held ?? []
    this.#held = undefined
    for (const [key, frame] of held) this.state(key, frame)
  }

  #flush(): void {
    for (const [key, frame] of this.#states) {
      if (this.behind) return
      this.#states.delete(key)
      this.put(frame)
    }
  }
}

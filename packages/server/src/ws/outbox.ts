import type { WebSocket } from 'ws'
import { type Limits, limits } from '../security/limits.ts'

type Bounds = Pick<Limits, 'behindBytes' | 'maxBufferedBytes' | 'stalledMs' | 'bytesPerSecond'>

/** A client that is behind by more states is disconnected. */
const maxStates = 5000

/**
 * The frames for one client, in bounded memory: only the latest frame of a state waits, subscriptions pause while the
 * client is behind, and a client that reads nothing is disconnected.
 */
export class Outbox {
  readonly #socket: WebSocket
  readonly #bounds: Bounds
  readonly #now: () => number
  readonly #states = new Map<string, string | Buffer>()
  /** States that changed before the client was greeted. */
  #beforeGreeting: Map<string, string | Buffer> | undefined = new Map()
  #outstanding = 0
  #progress = 0
  #longest = 0

  constructor(socket: WebSocket, bounds: Bounds = limits, now: () => number = Date.now) {
    this.#socket = socket
    this.#bounds = bounds
    this.#now = now
  }

  /** Whether subscriptions should wait for the client. */
  get behind(): boolean {
    return this.#socket.bufferedAmount > this.#bounds.behindBytes
  }

  /** Whether the client has read nothing for too long. */
  get stalled(): boolean {
    if (this.#outstanding === 0) return false
    // Progress shows only when a whole frame was sent, and some frames are long.
    const { stalledMs, bytesPerSecond } = this.#bounds
    const allowed = stalledMs + (this.#longest / bytesPerSecond) * 1000
    return this.#now() - this.#progress > allowed
  }

  /** Sends a frame. Resolves to false if the client is disconnected. */
  send(frame: string | Buffer): Promise<boolean> {
    return new Promise((resolve) => this.put(frame, resolve))
  }

  /** Sends a frame without waiting for it. */
  put(frame: string | Buffer, done?: (sent: boolean) => void): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return done?.(false)
    if (this.#socket.bufferedAmount > this.#bounds.maxBufferedBytes) {
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

  /** Sends the current state of a key, which replaces an earlier state that still waits. */
  sendState(key: string, frame: string | Buffer): void {
    if (this.#beforeGreeting) {
      this.#beforeGreeting.set(key, frame)
      return
    }
    if (!this.behind) return this.put(frame)
    this.#states.delete(key)
    this.#states.set(key, frame)
    if (this.#states.size > maxStates) this.#socket.terminate()
  }

  /** Sends the states that waited for the greeting. */
  release(): void {
    const waiting = this.#beforeGreeting ?? []
    this.#beforeGreeting = undefined
    for (const [key, frame] of waiting) this.sendState(key, frame)
  }

  #flush(): void {
    for (const [key, frame] of this.#states) {
      if (this.behind) return
      this.#states.delete(key)
      this.put(frame)
    }
  }
}

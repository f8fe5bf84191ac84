import type { ClientMessage, ServerMessage } from '@remora/protocol'

export type ConnectionState = 'connecting' | 'online' | 'offline' | 'unpaired'
export type Hello = Extract<ServerMessage, { type: 'hello' }>

export interface ConnectionOptions {
  readonly url: string
  readonly onState: (state: ConnectionState) => void
  readonly onMessage: (message: ServerMessage) => void
  /** Nothing is told before: what comes in while a screen is being drawn would have it drawn anew, all at once. */
  readonly isReady: Promise<void>
  /** Whether this device was ever paired: one that was not has nothing to ask for. */
  readonly isKnown: () => boolean
  /** Whether this device is still known; asked when a connection is refused, since a browser does not say why. */
  readonly isPaired: () => Promise<boolean>
}

const firstWaitMs = 500
const longestWaitMs = 15_000
/** A connection that was asleep must answer within this time, or it is made anew. */
const awakeMs = 3_000
const helloMs = 10_000

/** One WebSocket that comes back by itself: after sleep, another network, or a restart of the server. */
export class Connection {
  readonly #options: ConnectionOptions
  #socket: WebSocket | undefined
  #state: ConnectionState = 'connecting'
  #waitMs = firstWaitMs
  #retry: ReturnType<typeof setTimeout> | undefined
  #deadline: ReturnType<typeof setTimeout> | undefined
  #beat: ReturnType<typeof setInterval> | undefined
  #heardAt = 0
  #stopped = false
  readonly #over = new AbortController()

  constructor(options: ConnectionOptions) {
    this.#options = options
  }

  start(): void {
    const { signal } = this.#over
    document.addEventListener('visibilitychange', () => this.#wake(), { signal })
    for (const type of ['online', 'pageshow', 'focus']) addEventListener(type, () => this.#wake(), { signal })
    addEventListener('offline', () => this.#wake(), { signal })
    if (this.#options.isKnown()) this.#connect()
    else this.#tell('unpaired')
  }

  stop(): void {
    this.#stopped = true
    this.#over.abort()
    clearTimeout(this.#retry)
    this.#drop()
  }

  get state(): ConnectionState {
    return this.#state
  }

  /** False when there is nobody to hear it. */
  say(message: ClientMessage): boolean {
    if (this.#state !== 'online' || this.#socket?.readyState !== WebSocket.OPEN) return false
    this.#socket.send(JSON.stringify(message))
    return true
  }

  /** Connects at once, as after pairing. */
  again(): void {
    this.#waitMs = firstWaitMs
    this.#drop()
    this.#tell('connecting')
    this.#connect()
  }

  #tell(state: ConnectionState): void {
    if (this.#state === state) return
    this.#state = state
    this.#options.onState(state)
  }

  #connect(): void {
    clearTimeout(this.#retry)
    if (this.#stopped) return
    const socket = (this.#socket = new WebSocket(this.#options.url))
    this.#heardAt = Date.now()
    this.#within(helloMs)
    socket.addEventListener('message', ({ data }) => {
      void this.#options.isReady.then(() => {
        if (this.#socket === socket) this.#hear(String(data))
      })
    })
    socket.addEventListener('close', ({ code }) => {
      if (this.#socket === socket) this.#lost(code)
    })
  }

  #hear(data: string): void {
    this.#heardAt = Date.now()
    clearTimeout(this.#deadline)
    let message: ServerMessage
    try {
      message = JSON.parse(data) as ServerMessage
    } catch {
      return
    }
    if (message.type === 'hello') this.#greeted(message)
    this.#options.onMessage(message)
  }

  #greeted({ heartbeatMs, staleMs }: Hello): void {
    this.#waitMs = firstWaitMs
    clearInterval(this.#beat)
    this.#beat = setInterval(() => {
      if (Date.now() - this.#heardAt > staleMs) this.again()
      else this.say({ type: 'ping' })
    }, heartbeatMs)
    this.#tell('online')
  }

  #lost(code: number): void {
    this.#drop()
    if (this.#stopped) return
    if (code === 4401) return this.#tell('unpaired')
    const wasOnline = this.#state === 'online'
    this.#tell(wasOnline ? 'connecting' : 'offline')
    // A refused handshake looks like a network that is not there.
    this.#options.isPaired().then(
      (isPaired) => this.#unlessConnected(() => (isPaired ? this.#later() : this.#tell('unpaired'))),
      () =>
        this.#unlessConnected(() => {
          this.#tell('offline')
          this.#later()
        }),
    )
  }

  /** An answer about the last connection says nothing of one that was made meanwhile. */
  #unlessConnected(action: () => void): void {
    if (!this.#socket) action()
  }

  #later(): void {
    clearTimeout(this.#retry)
    if (this.#stopped || this.#socket) return
    this.#retry = setTimeout(() => this.#connect(), this.#waitMs * (0.75 + Math.random() / 2))
    this.#waitMs = Math.min(this.#waitMs * 2, longestWaitMs)
  }

  /** Somebody looks again, or the network has changed: what was believed may be wrong. */
  #wake(): void {
    if (this.#stopped || this.#state === 'unpaired' || document.visibilityState === 'hidden') return
    if (this.#state === 'online') {
      if (this.say({ type: 'ping' })) this.#within(awakeMs)
      return
    }
    this.#waitMs = firstWaitMs
    if (!this.#socket) this.#connect()
  }

  #within(ms: number): void {
    clearTimeout(this.#deadline)
    this.#deadline = setTimeout(() => this.#lost(0), ms)
  }

  #drop(): void {
    clearTimeout(this.#deadline)
    clearInterval(this.#beat)
    const socket = this.#socket
    this.#socket = undefined
    socket?.close()
  }
}

import type { ClientMessage, ServerMessage } from '@remora/protocol'

export type ConnectionState = 'connecting' | 'online' | 'offline' | 'unpaired'
export type Hello = Extract<ServerMessage, { type: 'hello' }>

export interface ConnectionOptions {
  readonly url: string
  readonly onState: (state: ConnectionState) => void
  readonly onMessage: (message: ServerMessage) => void
  /** Messages are handled after this, because one that arrives during the first render would repeat the render. */
  readonly isReady: Promise<void>
  /** Whether this device was ever paired. If not, it does not connect. */
  readonly isKnown: () => boolean
  /** Whether this device is still paired. Checked after a failed connection, because browsers do not report the cause. */
  readonly isPaired: () => Promise<boolean>
}

const firstRetryMs = 500
const maxRetryMs = 15_000
/** After sleep, a connection must answer within this time, or it is replaced. */
const pongMs = 3_000
const helloMs = 10_000

/** A WebSocket that reconnects after sleep, a network change or a restart of the server. */
export class Connection {
  readonly #options: ConnectionOptions
  #socket: WebSocket | undefined
  #state: ConnectionState = 'connecting'
  #retryMs = firstRetryMs
  #retry: ReturnType<typeof setTimeout> | undefined
  #deadline: ReturnType<typeof setTimeout> | undefined
  #heartbeat: ReturnType<typeof setInterval> | undefined
  #lastMessageAt = 0
  #stopped = false
  readonly #listeners = new AbortController()

  constructor(options: ConnectionOptions) {
    this.#options = options
  }

  start(): void {
    const { signal } = this.#listeners
    document.addEventListener('visibilitychange', () => this.#checkNow(), { signal })
    for (const type of ['online', 'pageshow', 'focus'])
      addEventListener(type, () => this.#checkNow(), { signal })
    addEventListener('offline', () => this.#checkNow(), { signal })
    if (this.#options.isKnown()) this.#connect()
    else this.#setState('unpaired')
  }

  stop(): void {
    this.#stopped = true
    this.#listeners.abort()
    clearTimeout(this.#retry)
    this.#closeSocket()
  }

  get state(): ConnectionState {
    return this.#state
  }

  /** Returns false without a connection. */
  send(message: ClientMessage): boolean {
    if (this.#state !== 'online' || this.#socket?.readyState !== WebSocket.OPEN) return false
    this.#socket.send(JSON.stringify(message))
    return true
  }

  /** Connects at once, for example after pairing. */
  reconnect(): void {
    this.#retryMs = firstRetryMs
    this.#closeSocket()
    this.#setState('connecting')
    this.#connect()
  }

  #setState(state: ConnectionState): void {
    if (this.#state === state) return
    this.#state = state
    this.#options.onState(state)
  }

  #connect(): void {
    clearTimeout(this.#retry)
    if (this.#stopped) return
    const socket = (this.#socket = new WebSocket(this.#options.url))
    this.#lastMessageAt = Date.now()
    this.#setDeadline(helloMs)
    socket.addEventListener('message', ({ data }) => {
      void this.#options.isReady.then(() => {
        if (this.#socket === socket) this.#receive(String(data))
      })
    })
    socket.addEventListener('close', ({ code }) => {
      if (this.#socket === socket) this.#onClose(code)
    })
  }

  #receive(data: string): void {
    this.#lastMessageAt = Date.now()
    clearTimeout(this.#deadline)
    let message: ServerMessage
    try {
      message = JSON.parse(data) as ServerMessage
    } catch {
      return
    }
    if (message.type === 'hello') this.#onHello(message)
    this.#options.onMessage(message)
  }

  #onHello({ heartbeatMs, staleMs }: Hello): void {
    this.#retryMs = firstRetryMs
    clearInterval(this.#heartbeat)
    this.#heartbeat = setInterval(() => {
      if (Date.now() - this.#lastMessageAt > staleMs) this.reconnect()
      else this.send({ type: 'ping' })
    }, heartbeatMs)
    this.#setState('online')
  }

  #onClose(code: number): void {
    this.#closeSocket()
    if (this.#stopped) return
    if (code === 4401) return this.#setState('unpaired')
    const wasOnline = this.#state === 'online'
    this.#setState(wasOnline ? 'connecting' : 'offline')
    // A rejected handshake looks like a network failure.
    this.#options.isPaired().then(
      (isPaired) =>
        this.#unlessConnected(() => (isPaired ? this.#scheduleRetry() : this.#setState('unpaired'))),
      () =>
        this.#unlessConnected(() => {
          this.#setState('offline')
          this.#scheduleRetry()
        }),
    )
  }

  /** A result for the last connection does not apply to a newer one. */
  #unlessConnected(action: () => void): void {
    if (!this.#socket) action()
  }

  #scheduleRetry(): void {
    clearTimeout(this.#retry)
    if (this.#stopped || this.#socket) return
    this.#retry = setTimeout(() => this.#connect(), this.#retryMs * (0.75 + Math.random() / 2))
    this.#retryMs = Math.min(this.#retryMs * 2, maxRetryMs)
  }

  /** The user returned or the network changed, so the connection may be dead. */
  #checkNow(): void {
    if (this.#stopped || this.#state === 'unpaired' || document.visibilityState === 'hidden') return
    if (this.#state === 'online') {
      if (this.send({ type: 'ping' })) this.#setDeadline(pongMs)
      return
    }
    this.#retryMs = firstRetryMs
    if (!this.#socket) this.#connect()
  }

  #setDeadline(ms: number): void {
    clearTimeout(this.#deadline)
    this.#deadline = setTimeout(() => this.#onClose(0), ms)
  }

  #closeSocket(): void {
    clearTimeout(this.#deadline)
    clearInterval(this.#heartbeat)
    const socket = this.#socket
    this.#socket = undefined
    socket?.close()
  }
}

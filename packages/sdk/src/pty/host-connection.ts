import { type Socket, createConnection } from 'node:net'
import { RemoraError } from '@remora/protocol/plain'
import {
  type ClientMessage,
  type Hello,
  type HostFacts,
  type HostMessage,
  type HostRequest,
  type Replies,
  protocolVersion,
  readFrames,
  sendBytes,
  sendMessage,
} from './wire.ts'

export interface ConnectionEvents {
  output(bytes: Buffer): void
  /** A message that is no reply. */
  message(message: Exclude<HostMessage, { type: 'reply' | 'hello' }>): void
}

interface Pending {
  /** Called before later output is read; a promise would be too late. */
  readonly seen: (value: unknown) => void
  readonly reject: (error: RemoraError) => void
  readonly timer: NodeJS.Timeout
}

const timeoutMs = 20_000

/**
 * A connection to a PTY host.
 *
 * @example
 * const host = await HostConnection.open(socket, { role: 'driver' }, { output, message })
 * const { screen } = await host.request({ do: 'capture' })
 */
export class HostConnection {
  /** Resolves when the connection is closed. */
  readonly ended: Promise<void>
  about!: HostFacts
  readonly #socket: Socket
  readonly #pending = new Map<number, Pending>()
  #count = 0
  #isOver = false

  private constructor(socket: Socket, events: ConnectionEvents, onHello: (version: number) => void) {
    this.#socket = socket
    socket.setNoDelay(true)
    socket.on('error', () => {})
    this.ended = new Promise((resolve) => {
      socket.once('close', () => {
        this.#isOver = true
        for (const [, { reject, timer }] of this.#pending) {
          clearTimeout(timer)
          reject(createGoneError())
        }
        this.#pending.clear()
        resolve()
      })
    })
    readFrames<HostMessage>(socket, {
      bytes: (bytes) => events.output(bytes),
      message: (message) => {
        if (message.type === 'hello') {
          this.about = message.about
          onHello(message.version)
        } else if (message.type === 'reply') this.#settle(message)
        else events.message(message)
      },
    })
  }

  /** Rejects with `not_found` if no host listens. */
  static async open(
    socket: string,
    hello: Omit<Hello, 'version'>,
    events: ConnectionEvents,
  ): Promise<HostConnection> {
    const connected = await connect(socket)
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        connected.destroy()
        reject(new RemoraError('timeout_startup', `The terminal host at ${socket} does not answer`))
      }, timeoutMs)
      const connection: HostConnection = new HostConnection(connected, events, (version) => {
        clearTimeout(timer)
        if (version >= 1) resolve(connection)
        else reject(new RemoraError('unsupported', `Unknown version of the terminal host: ${version}`))
      })
      void connection.ended.then(() => {
        clearTimeout(timer)
        reject(createGoneError())
      })
      connection.send({ type: 'hello', hello: { ...hello, version: protocolVersion } })
    })
  }

  get isOver(): boolean {
    return this.#isOver
  }

  /** `seen` is called at the position of the reply in the output. */
  request<Request extends HostRequest>(
    request: Request,
    seen: (value: Replies[Request['do']]) => void = () => {},
  ): Promise<Replies[Request['do']]> {
    return new Promise((resolve, reject) => {
      if (this.#isOver) return reject(createGoneError())
      const id = this.#count++
      const timer = setTimeout(() => {
        this.#pending.delete(id)
        reject(new RemoraError('unknown', 'The terminal host does not answer'))
      }, timeoutMs)
      timer.unref()
      this.#pending.set(id, {
        seen: (value) => {
          seen(value as Replies[Request['do']])
          resolve(value as Replies[Request['do']])
        },
        reject,
        timer,
      })
      this.send({ type: 'request', id, request })
    })
  }

  send(message: ClientMessage): void {
    sendMessage(this.#socket, message)
  }

  /** Keys of a window. */
  write(bytes: Uint8Array): void {
    sendBytes(this.#socket, bytes)
  }

  /** Stops reading; the host drops output after a while. */
  pause(): void {
    this.#socket.pause()
  }

  resume(): void {
    this.#socket.resume()
  }

  close(): void {
    this.#isOver = true
    this.#socket.destroy()
  }

  #settle({ id, value, error }: Extract<HostMessage, { type: 'reply' }>): void {
    const pending = this.#pending.get(id)
    if (!pending) return
    this.#pending.delete(id)
    clearTimeout(pending.timer)
    if (error === undefined) pending.seen(value)
    else pending.reject(new RemoraError('unknown', `The terminal host failed: ${error}`))
  }
}

/** Connects to the socket of a host. Rejects with `not_found` if none listens. */
export function connect(path: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = createConnection(path)
    socket.once('connect', () => {
      socket.removeAllListeners('error')
      resolve(socket)
    })
    socket.once('error', (cause: NodeJS.ErrnoException) => {
      const isGone = ['ENOENT', 'ECONNREFUSED', 'ENOTSOCK'].includes(cause.code ?? '')
      reject(
        new RemoraError(isGone ? 'not_found' : 'unknown', `No terminal host listens at ${path}`, { cause }),
      )
    })
  })
}

function createGoneError(): RemoraError {
  return new RemoraError('not_found', 'The terminal host has ended')
}

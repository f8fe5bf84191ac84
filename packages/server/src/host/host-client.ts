import { type Socket, createConnection } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { RemoraError } from '@remora/protocol/plain'
import { isRunning } from '@remora/sdk/acp'
import { type HostExit, type HostFiles, type HostState, readState } from './host-files.ts'
import { type HostInfo, type HostMessage, type HostRequest, onMessages, sendMessage } from './host-wire.ts'

/** A running host, as the server sees it. */
export interface HostHandle {
  readonly pid: number
  /** The agent's own id of the session. */
  readonly session: string
  readonly info: HostInfo
  /** The current state and every change. A slow reader skips outdated states. */
  changes(signal: AbortSignal): AsyncIterable<HostInfo>
  /** Interrupts the turn under way; throws `conflict` if there is none. */
  cancel(): Promise<void>
  /** Ends the agent and the host; resolves when both have exited. */
  end(): Promise<void>
  /** Lets the host check for commands at once. */
  nudge(): void
  /** Resolves with the exit of the host, or with undefined after `release`. */
  readonly closed: Promise<HostExit | undefined>
  /** Disconnects; the host keeps running. */
  release(): void
}

const retryMs = 25
/** How long a running host may be unreachable. It recreates a deleted socket itself. */
const offlineMs = 20_000

/** Connects to the socket of a host, and reconnects while the host runs. */
export class HostClient implements HostHandle {
  readonly pid: number
  readonly #files: HostFiles
  readonly #state: HostState
  readonly #waiting = new Set<() => void>()
  readonly #replies = new Map<number, (error: HostExit['error']) => void>()
  readonly closed: Promise<HostExit | undefined>
  #socket: Socket | undefined
  #session = ''
  #info: HostInfo = { state: 'starting', modes: [], models: [] }
  #version = 0
  #requests = 0
  #exit: HostExit | undefined
  #released = false
  #close!: (exit: HostExit | undefined) => void

  constructor(files: HostFiles, state: HostState) {
    this.#files = files
    this.#state = state
    this.pid = state.pid
    this.closed = new Promise((resolve) => (this.#close = resolve))
    void this.#keepConnected()
  }

  get session(): string {
    return this.#session
  }

  get info(): HostInfo {
    return this.#info
  }

  /** Resolves when the session is known or the host has exited. */
  async ready(signal?: AbortSignal): Promise<HostExit | undefined> {
    while (this.#session === '' && !this.#exit && !this.#released) await this.#change(signal)
    return this.#exit
  }

  async *changes(signal: AbortSignal): AsyncGenerator<HostInfo, void, undefined> {
    for (let seen = -1; !signal.aborted;) {
      if (seen !== this.#version) {
        seen = this.#version
        yield this.#info
      } else if (this.#exit || this.#released) return
      else await this.#change(signal).catch(() => {})
    }
  }

  async cancel(): Promise<void> {
    await this.#request('cancel')
  }

  async end(): Promise<void> {
    // A lost connection does not mean that the host has exited, so the request is retried.
    while (!this.#exit && !this.#released)
      try {
        await this.#request('end')
        break
      } catch (error) {
        if (!RemoraError.is(error) || error.code !== 'crashed') throw error
        await sleep(retryMs)
      }
    await this.closed
  }

  nudge(): void {
    void this.#request('nudge').catch(() => {})
  }

  release(): void {
    this.#released = true
    this.#socket?.destroy()
    this.#close(undefined)
    this.#wake()
  }

  /** Reconnects until the host has exited or was released. */
  async #keepConnected(): Promise<void> {
    for (let lastSeen = Date.now(); !this.#released && !this.#exit;) {
      if (await this.#connect()) lastSeen = Date.now()
      if (this.#released || this.#exit) break
      // The host writes its exit before it disconnects, and exits a moment later.
      const { exit } = (await readState(this.#files)) ?? {}
      const alive = await isRunning(this.#state)
      if (exit && !alive) this.#exit = exit
      else if (!alive || Date.now() - lastSeen > offlineMs) this.#exit = exit ?? { reason: 'killed' }
      else await sleep(retryMs)
    }
    if (this.#released) return
    // The process is gone before the end is reported.
    for (const end = Date.now() + offlineMs; (await isRunning(this.#state)) && Date.now() < end;)
      await sleep(retryMs)
    this.#info = { ...this.#info, state: 'ended', since: Date.now() }
    this.#version++
    this.#close(this.#exit)
    this.#wake()
  }

  /** Runs one connection until it closes; true if it was ever open. */
  async #connect(): Promise<boolean> {
    const socket = createConnection(this.#state.socket)
    this.#socket = socket
    onMessages<HostMessage>(socket, (message) => this.#handle(message))
    let isConnected = false
    socket.once('connect', () => (isConnected = true))
    socket.on('error', () => {})
    // `once` of node:events would reject at an error, which a close always follows.
    await new Promise<void>((resolve) => socket.once('close', () => resolve()))
    for (const reply of this.#replies.values())
      reply({ code: 'crashed', message: 'The session host disconnected' })
    this.#replies.clear()
    return isConnected
  }

  #handle(message: HostMessage): void {
    switch (message.type) {
      case 'info':
        // Ignores another process at the same path.
        if (message.pid !== this.pid) {
          this.#socket?.destroy()
          return
        }
        this.#session = message.session ?? this.#session
        this.#info = message.info
        this.#version++
        this.#wake()
        return
      case 'exit':
        this.#exit = message.exit
        return
      case 'reply':
        this.#replies.get(message.id)?.(message.error)
        this.#replies.delete(message.id)
        return
      default:
    }
  }

  async #request(what: HostRequest['do']): Promise<void> {
    const socket = this.#socket
    // A closed connection gets no reply.
    if (!socket || socket.destroyed || this.#exit || this.#released)
      throw new RemoraError('crashed', 'The session host ended')
    const id = ++this.#requests
    const error = await new Promise<HostExit['error']>((resolve) => {
      this.#replies.set(id, resolve)
      sendMessage(socket, { id, do: what })
    })
    if (error) throw toRemoraError(error)
  }

  async #change(signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) throw signal.reason
    await new Promise<void>((resolve, reject) => {
      const done = (): void => {
        this.#waiting.delete(done)
        signal?.removeEventListener('abort', abort)
        resolve()
      }
      const abort = (): void => {
        this.#waiting.delete(done)
        reject(signal!.reason as Error)
      }
      this.#waiting.add(done)
      signal?.addEventListener('abort', abort, { once: true })
    })
  }

  #wake(): void {
    for (const wake of this.#waiting) wake()
  }
}

export function toRemoraError({ code, message, ...more }: NonNullable<HostExit['error']>): RemoraError {
  return new RemoraError(code, message, more)
}

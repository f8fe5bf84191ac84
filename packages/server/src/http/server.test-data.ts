import { mkdtemp, rm } from 'node:fs/promises'
import { type IncomingHttpHeaders, request } from 'node:http'
import { request as secureRequest } from 'node:https'
import { join } from 'node:path'
import { type Ledger, type SessionKey, openLedger } from '@remora/ledger'
import { type Command, type Event, type LiveInfo, RemoraError } from '@remora/protocol'
import type { Terminal } from '@remora/sdk/terminal'
import { WebSocket } from 'ws'
import { WaitingHooks } from '../approvals/waiting-hooks.ts'
import { ServerApprovals } from '../approvals/server-approvals.ts'
import type { Context } from '../core/context.ts'
import type { Live, LiveChange } from '../core/live.ts'
import type { Role } from '../security/roles.ts'
import { type ListenOptions, type Listening, listen } from './listen.ts'
import { createLedgerStore } from '../core/store.ts'

/** Live sessions without agents: commands stay queued in the real ledger. */
export class QueueLive implements Live {
  readonly sessions = new Map<string, LiveInfo>()
  readonly terminals = new Map<string, Terminal>()
  readonly #ledger: Ledger
  readonly #listeners = new Set<(change: LiveChange) => void>()

  constructor(ledger: Ledger) {
    this.#ledger = ledger
  }

  /** Adds a live session. */
  put(fields: Partial<LiveInfo> = {}): LiveInfo {
    const info: LiveInfo = {
      id: 'l-1',
      agent: 'claude',
      session: 'one',
      channel: 'terminal',
      state: 'idle',
      cwd: '/work',
      startedAt: 1,
      since: 1,
      adopted: false,
      asks: 0,
      queued: 0,
      ...fields,
    }
    this.sessions.set(info.id, info)
    this.publish({ type: 'live', live: info })
    return info
  }

  publish(change: LiveChange): void {
    for (const listener of this.#listeners) listener(change)
  }

  list() {
    return [...this.sessions.values()]
  }
  find(word: string) {
    return this.list().find(({ id, session }) => id === word || session === word)
  }
  of(key: SessionKey) {
    return this.list().find(({ agent, session }) => agent === key.agent && session === key.session)
  }
  start(): Promise<LiveInfo> {
    throw new RemoraError('unsupported', 'There are no agents here')
  }
  async adoptable() {
    return []
  }
  adopt(): Promise<LiveInfo> {
    throw new RemoraError('unsupported', 'There are no agents here')
  }
  async release(id: string) {
    this.sessions.delete(id)
  }
  async submit(command: Omit<Command, 'state' | 'at'>) {
    if (!this.of(command.target)) throw new RemoraError('not_found', 'That session is not live')
    const stored = await this.#ledger.commands.submit({ ...command, state: 'queued', at: Date.now() })
    this.publish({ type: 'command', command: stored })
    return stored
  }
  async edit(id: Pick<Command, 'id' | 'client'>, body: Command['body']) {
    return requireMoved(await this.#ledger.commands.edit(id, body))
  }
  async withdraw(id: Pick<Command, 'id' | 'client'>) {
    return requireMoved(await this.#ledger.commands.move(id, 'queued', 'withdrawn'))
  }
  terminal(id: string) {
    return this.terminals.get(id)
  }
  frame() {
    return undefined
  }
  on(listener: (change: LiveChange) => void) {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }
}

function requireMoved(command: Command | undefined): Command {
  if (!command) throw new RemoraError('conflict', 'It waits no longer')
  return command
}

export interface TestServer extends Listening, AsyncDisposable {
  readonly context: Context
  readonly ledger: Ledger
  readonly live: QueueLive
  readonly logged: string[]
  /** Pairs a device as a phone does, for the local user by default. */
  pair(
    name?: string,
    person?: { readonly name: string; readonly role: Role },
  ): Promise<{ readonly id: string; readonly token: string }>
  call(method: string, path: string, options?: CallOptions): Promise<Answered>
}

export interface CallOptions {
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly token?: string | undefined
  readonly cookie?: string
  readonly json?: unknown
  readonly body?: string | Buffer
  readonly unix?: boolean
  readonly ca?: string
}

export interface Answered {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  readonly json: { readonly error?: { readonly code: string; readonly message: string } } & Record<
    string,
    unknown
  >
}

/** Starts the real server on a real port with a real ledger. */
export async function startTestServer(
  options: Partial<Omit<ListenOptions, 'context'>> = {},
): Promise<TestServer> {
  // Not below TMPDIR, whose path may be too long for a socket.
  const remoraHome = await mkdtemp('/tmp/rs-')
  const ledger = await openLedger({ file: join(remoraHome, 'ledger.db') })
  const over = new AbortController()
  const logged: string[] = []
  const log: Context['log'] = (level, message, fields) =>
    void logged.push(JSON.stringify({ level, message, ...fields }))
  const approvals = new ServerApprovals({ ledger, remoraHome, log, signal: over.signal })
  const live = new QueueLive(ledger)
  const context: Context = {
    ledger,
    remoraHome,
    env: { PATH: '/nonexistent' },
    home: remoraHome,
    version: '9.8.7',
    store: createLedgerStore(ledger),
    live,
    approvals,
    hooks: new WaitingHooks({ signal: over.signal }),
    log,
    signal: over.signal,
  }
  const listening = await listen({
    context,
    port: 0,
    unixSocket: join(remoraHome, 'server.sock'),
    ...options,
  })
  const secure = listening.url.startsWith('https')
  const call = (method: string, path: string, given: CallOptions = {}): Promise<Answered> =>
    send(
      given.unix ? { socketPath: listening.unixSocket! } : { port: listening.port, secure },
      method,
      path,
      given,
    )
  const close = async (): Promise<void> => {
    over.abort()
    await listening.close()
    await approvals[Symbol.asyncDispose]()
    await ledger.close()
    await rm(remoraHome, { recursive: true, force: true })
  }
  return {
    ...listening,
    get connections() {
      return listening.connections
    },
    context,
    ledger,
    live,
    logged,
    call,
    async pair(name = 'phone', person) {
      if (person) await listening.people.enrol(person.name, person.role, 'test')
      const { code } = listening.pairing.create(person?.name)
      const { json } = await call('POST', '/api/pair', { json: { code, name, token: true } })
      return { id: (json['device'] as { id: string }).id, token: json['token'] as string }
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}

interface Place {
  readonly socketPath?: string
  readonly port?: number
  readonly secure?: boolean
}

function send(place: Place, method: string, path: string, options: CallOptions): Promise<Answered> {
  const body = options.json === undefined ? options.body : JSON.stringify(options.json)
  const headers = {
    ...(place.port === undefined ? {} : { host: `127.0.0.1:${place.port}` }),
    ...(options.json === undefined ? {} : { 'content-type': 'application/json' }),
    ...(body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
    ...(options.token === undefined ? {} : { authorization: `Bearer ${options.token}` }),
    ...(options.cookie === undefined ? {} : { cookie: `remora=${options.cookie}` }),
    ...options.headers,
  }
  const given = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined))
  return new Promise((resolve, reject) => {
    const where = place.socketPath
      ? { socketPath: place.socketPath }
      : { host: '127.0.0.1', port: place.port }
    const start = place.secure ? secureRequest : request
    const sent = start(
      {
        ...where,
        method,
        path,
        headers: given as Record<string, string>,
        agent: false,
        ...(options.ca ? { ca: options.ca } : {}),
      },
      (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString()
          const isJson = response.headers['content-type']?.startsWith('application/json') ?? false
          const json = (isJson ? JSON.parse(text) : {}) as Answered['json']
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text, json })
        })
        response.on('error', reject)
      },
    )
    sent.on('error', reject)
    sent.end(body)
  })
}

/** A WebSocket client that records every message. */
export class TestClient {
  readonly socket: WebSocket
  readonly received: Record<string, unknown>[] = []
  readonly #waiting = new Set<() => void>()
  /** The code of the close frame. */
  closed: number | undefined

  constructor(socket: WebSocket) {
    this.socket = socket
    socket.on('message', (data: Buffer) => {
      this.received.push(JSON.parse(data.toString()) as Record<string, unknown>)
      for (const wake of this.#waiting) wake()
    })
    socket.on('close', (code) => {
      this.closed = code
      for (const wake of this.#waiting) wake()
    })
    socket.on('error', () => {})
  }

  send(message: unknown): void {
    this.socket.send(typeof message === 'string' ? message : JSON.stringify(message))
  }

  /** Waits for a matching message; earlier ones count too. */
  async until<T = Record<string, unknown>>(fits: (message: Record<string, unknown>) => boolean): Promise<T> {
    for (;;) {
      const found = this.received.find(fits)
      if (found) return found as T
      if (this.closed !== undefined) throw new Error(`closed with ${this.closed} before a matching message`)
      await this.#next()
    }
  }

  async untilClosed(): Promise<number> {
    while (this.closed === undefined) await this.#next()
    return this.closed
  }

  /** The events of a subscription, in order. */
  events(id: string): { readonly seq: number; readonly event: Event }[] {
    return this.received
      .filter((message) => message['type'] === 'events' && message['id'] === id)
      .flatMap((message) => message['events'] as { seq: number; event: Event }[])
  }

  close(): void {
    this.socket.terminate()
  }

  #next(): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        this.#waiting.delete(wake)
        resolve()
      }
      this.#waiting.add(wake)
    })
  }
}

export interface OpenOptions {
  readonly token?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly path?: string
  readonly unix?: boolean
}

/** Opens a WebSocket; rejects with the HTTP status if it is refused. */
export function openSocket(server: Listening, options: OpenOptions = {}): Promise<TestClient> {
  const path = options.path ?? '/api/ws'
  const url = options.unix ? `ws+unix://${server.unixSocket}:${path}` : `ws://127.0.0.1:${server.port}${path}`
  const socket = new WebSocket(url, {
    headers: { ...(options.token ? { authorization: `Bearer ${options.token}` } : {}), ...options.headers },
    perMessageDeflate: false,
  })
  const client = new TestClient(socket)
  return new Promise((resolve, reject) => {
    socket.once('open', () => resolve(client))
    socket.once('unexpected-response', (_, response) => {
      reject(new Error(`refused with ${response.statusCode}`))
      response.destroy()
    })
    socket.once('error', reject)
  })
}

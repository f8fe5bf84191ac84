import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { ChangeNotifier } from '@remora/ledger/internal'
import type { Client } from 'pg'
import { createClientConfig } from './config.ts'
import { type Connection, getNotifyChannel } from './connection.ts'

/** Receives changes of other processes through LISTEN and NOTIFY. */
export class PostgresChangeNotifier extends ChangeNotifier {
  readonly #connection: Connection
  #listener: Listener | undefined

  constructor(connection: Connection) {
    super()
    this.#connection = connection
  }

  protected startWatching(): void {
    this.#listener ??= new Listener(this.#connection, () => this.notify())
    this.#listener.ref()
  }

  protected unref(): void {
    this.#listener?.unref()
  }

  protected stopWatching(): void {
    this.#listener?.close()
    this.#listener = undefined
  }
}

/** Interval of the check for a dead connection and for missed notifications. */
const pollMs = 2000
/** A connection that does not answer for this long is dead: a network may fail without closing it. */
const answerTimeoutMs = 5000
const closeTimeoutMs = 1000
/** Backoff between attempts to connect. */
const firstBackoffMs = 50
const maxBackoffMs = 2000

type RefClient = Client & { ref(): void; unref(): void }

/**
 * One connection that only listens. PostgreSQL does not repeat notifications that were sent while it was disconnected, so
 * it also notifies after every reconnect.
 */
class Listener {
  readonly #connection: Connection
  readonly #notify: () => void
  readonly #closed = new AbortController()
  #client: RefClient | undefined
  /** The highest sequence number seen. */
  #head = 0
  #isRef = true

  constructor(connection: Connection, notify: () => void) {
    this.#connection = connection
    this.#notify = notify
    void this.#run()
  }

  /** Keeps the process alive. */
  ref(): void {
    this.#isRef = true
    this.#client?.ref()
  }

  unref(): void {
    this.#isRef = false
    this.#client?.unref()
  }

  close(): void {
    this.#closed.abort()
  }

  async #run(): Promise<void> {
    const { signal } = this.#closed
    for (let backoff = firstBackoffMs; !signal.aborted; backoff = Math.min(backoff * 2, maxBackoffMs)) {
      const since = Date.now()
      await this.#listen().catch(() => {})
      // After a connection that lasted, the backoff starts over.
      if (Date.now() - since > maxBackoffMs * 2) backoff = firstBackoffMs
      await this.#sleep(backoff)
    }
  }

  /** Listens until the connection is lost or `close` is called. */
  async #listen(): Promise<void> {
    const { default: pg } = await import('pg')
    const client = new pg.Client({
      ...createClientConfig(this.#connection.address.url),
      connectionTimeoutMillis: answerTimeoutMs,
      query_timeout: answerTimeoutMs,
    }) as RefClient
    const lost = new AbortController()
    const stop = AbortSignal.any([this.#closed.signal, lost.signal])
    client.on('error', () => lost.abort())
    client.on('end', () => lost.abort())
    client.on('notification', ({ payload = '' }) => this.#receive(payload))
    try {
      await client.connect()
      this.#client = client
      if (!this.#isRef) client.unref()
      await client.query(`LISTEN "${getNotifyChannel(this.#connection.epoch)}"`)
      this.#head = await readHead(client)
      this.#notify()
      while (!stop.aborted) {
        await this.#sleep(pollMs, stop)
        if (!stop.aborted) this.#check(await readHead(client))
      }
    } finally {
      this.#client = undefined
      disconnect(client)
    }
  }

  #receive(payload: string): void {
    const [writer, head] = payload.split(' ')
    if (head !== undefined) this.#head = Math.max(this.#head, Number(head))
    // This process has already notified its readers of its own changes.
    if (writer !== this.#connection.writer) this.#notify()
  }

  /** Catches changes whose notification was missed. */
  #check(head: number): void {
    // The head also moves back: a crashed database loses what was not flushed.
    if (head === this.#head) return
    this.#head = head
    this.#notify()
  }

  async #sleep(time: number, signal = this.#closed.signal): Promise<void> {
    await sleep(time, undefined, { signal, ref: this.#isRef }).catch(() => {})
  }
}

/** Closes a connection without waiting long for the server, which may be gone. */
function disconnect(client: Client): void {
  const { stream } = (client as unknown as { connection: { stream: Socket } }).connection
  const timer = setTimeout(() => stream.destroy(), closeTimeoutMs)
  const done = (): void => clearTimeout(timer)
  client.end().then(done, done)
}

async function readHead(client: Client): Promise<number> {
  const { rows } = await client.query<{ seq: number }>('SELECT seq FROM head')
  return rows[0]!.seq
}

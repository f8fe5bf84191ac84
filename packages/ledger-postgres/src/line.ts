import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from 'pg'
import { configOf } from './config.ts'
import { type Connection, channelOf } from './connection.ts'

/** Whether the line still stands is looked at so often, and whether it kept something back. */
const pollEvery = 2000
/** One that does not answer for so long is dead: a network may be cut without a word. */
const answerWithin = 5000
const goodByeWithin = 1000
/** How long it is waited before the next try to connect, at first and at most. */
const firstPause = 50
const longestPause = 2000

/** A connection that keeps the process alive, or does not. */
type Holding = Client & { ref(): void; unref(): void }

/**
 * One connection that does nothing but listen. The database tells it of every change once that is committed, and it tells
 * nothing of what was before: so it rings whenever it was made anew.
 */
export class Line {
  readonly #connection: Connection
  readonly #ring: () => void
  readonly #closed = new AbortController()
  #client: Holding | undefined
  /** The highest sequence number that was heard of. */
  #head = 0
  #held = true

  constructor(connection: Connection, ring: () => void) {
    this.#connection = connection
    this.#ring = ring
    void this.#keep()
  }

  /** Whether the process stays alive for it. */
  ref(): void {
    this.#held = true
    this.#client?.ref()
  }

  unref(): void {
    this.#held = false
    this.#client?.unref()
  }

  close(): void {
    this.#closed.abort()
  }

  async #keep(): Promise<void> {
    const { signal } = this.#closed
    for (let pause = firstPause; !signal.aborted; pause = Math.min(pause * 2, longestPause)) {
      const since = Date.now()
      await this.#listen().catch(() => {})
      // It stood for a while: this is a new trouble.
      if (Date.now() - since > longestPause * 2) pause = firstPause
      await this.#rest(pause)
    }
  }

  /** Until the connection is lost, or nobody wants it any longer. */
  async #listen(): Promise<void> {
    const { default: pg } = await import('pg')
    const client = new pg.Client({
      ...configOf(this.#connection.address.url),
      connectionTimeoutMillis: answerWithin,
      query_timeout: answerWithin,
    }) as Holding
    const lost = new AbortController()
    const stop = AbortSignal.any([this.#closed.signal, lost.signal])
    client.on('error', () => lost.abort())
    client.on('end', () => lost.abort())
    client.on('notification', ({ payload = '' }) => this.#hear(payload))
    try {
      await client.connect()
      this.#client = client
      if (!this.#held) client.unref()
      await client.query(`LISTEN "${channelOf(this.#connection.epoch)}"`)
      this.#head = await headOf(client)
      this.#ring()
      while (!stop.aborted) {
        await this.#rest(pollEvery, stop)
        if (!stop.aborted) this.#look(await headOf(client))
      }
    } finally {
      this.#client = undefined
      hangUp(client)
    }
  }

  #hear(payload: string): void {
    const [writer, head] = payload.split(' ')
    if (head !== undefined) this.#head = Math.max(this.#head, Number(head))
    // This process has rung for its own already.
    if (writer !== this.#connection.writer) this.#ring()
  }

  /** The slow poll: what was not heard is seen. */
  #look(head: number): void {
    // Also where it has gone back: a database that crashed has forgotten what was not on its disk.
    if (head === this.#head) return
    this.#head = head
    this.#ring()
  }

  async #rest(time: number, signal = this.#closed.signal): Promise<void> {
    await sleep(time, undefined, { signal, ref: this.#held }).catch(() => {})
  }
}

/** Says good-bye, and does not wait for ever for the answer: there may be nobody any more at the other end. */
function hangUp(client: Client): void {
  const { stream } = (client as unknown as { connection: { stream: Socket } }).connection
  const timer = setTimeout(() => stream.destroy(), goodByeWithin)
  const done = (): void => clearTimeout(timer)
  client.end().then(done, done)
}

async function headOf(client: Client): Promise<number> {
  const { rows } = await client.query<{ seq: number }>('SELECT seq FROM head')
  return rows[0]!.seq
}

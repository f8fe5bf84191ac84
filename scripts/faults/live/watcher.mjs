import { setTimeout as sleep } from 'node:timers/promises'
import { WebSocket } from 'ws'

/** A surface: keeps every event that it is told, by its cursor, and what it wants of agents until that is acknowledged. */
export class Watcher {
  events = []
  problems = []
  /** How often its connection was lost. */
  cuts = 0
  /** What came of each command that it sent. */
  acks = new Map()
  #name
  #open
  #cursor
  #socket
  #wanted = new Map()
  #onAsk
  #over = false
  #last = 0
  #running

  constructor(name, { open, onAsk }) {
    this.#name = name
    this.#open = open
    this.#onAsk = onAsk
    this.#running = this.#run()
  }

  get seq() {
    return this.#last
  }

  /** The same id again is the same command, so it is sent until somebody says that he has it. */
  command(id, target, body) {
    const message = { type: 'command', id, target, body }
    this.#wanted.set(id, message)
    this.#say(message)
  }

  cut() {
    this.#socket?.terminate()
  }

  /** Reads nothing for a while. */
  async stall(ms) {
    const socket = this.#socket
    socket?.pause()
    await sleep(ms)
    socket?.resume()
  }

  async close() {
    this.#over = true
    this.#socket?.terminate()
    await this.#running
  }

  async #run() {
    while (!this.#over) {
      await this.#connect().catch(() => {})
      if (!this.#over) await sleep(50)
    }
  }

  async #connect() {
    const { url, headers } = await this.#open()
    const socket = new WebSocket(url, { headers, perMessageDeflate: false, handshakeTimeout: 5_000 })
    const closed = new Promise((resolve) => socket.once('close', resolve))
    socket.on('error', () => {})
    socket.on('message', (data) => this.#hear(JSON.parse(new TextDecoder().decode(data))))
    socket.once('open', () => {
      this.#socket = socket
      // Of no ledger yet: everything from the beginning.
      this.#say({ type: 'subscribe', id: 'all', cursor: this.#cursor ?? '0:0' })
      for (const message of this.#wanted.values()) this.#say(message)
    })
    await closed
    this.#socket = undefined
    this.cuts++
  }

  #say(message) {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message))
  }

  #hear(message) {
    switch (message.type) {
      case 'events':
        if (message.gap) {
          if (this.events.length > 0) this.problems.push(`${this.#name} was told of a gap`)
          this.events = []
          this.#last = 0
        }
        for (const { seq, event } of message.events) {
          if (seq <= this.#last) this.problems.push(`${this.#name} got event ${seq} after ${this.#last}`)
          this.#last = seq
          this.events.push({ seq, event })
        }
        this.#cursor = message.cursor
        break
      case 'ack':
        this.#wanted.delete(message.id)
        this.acks.set(message.id, message)
        break
      case 'hello':
        for (const asked of message.asks) this.#onAsk?.(this, asked)
        break
      case 'ask':
        this.#onAsk?.(this, message)
        break
    }
  }
}

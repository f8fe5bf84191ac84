import { setTimeout as sleep } from 'node:timers/promises'
import { WebSocket } from 'ws'

/** Answers most asks with one of their first options, after a moment. */
export function answerRandomly(random, name) {
  let count = 0
  return (watcher, { agent, session, ask }) => {
    if (random() < 0.4) return
    const option = ask.options[Math.floor(random() * Math.min(3, ask.options.length))].id
    const body = { kind: 'answer', ask: ask.id, digest: ask.digest, option }
    setTimeout(() => watcher.command(`${name}-${++count}`, { agent, session }, body), random() * 300)
  }
}

/** A client: keeps every event it receives, resumes by cursor, and repeats its commands until they are acknowledged. */
export class Watcher {
  events = []
  problems = []
  /** How often its connection was lost. */
  cuts = 0
  /** The acknowledgement of each command. */
  acks = new Map()
  #name
  #open
  #cursor
  #socket
  #wanted = new Map()
  #onAsk
  #closed = false
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

  /** Sends a command, and sends it again after each reconnect until the server acknowledges its id. */
  command(id, target, body) {
    const message = { type: 'command', id, target, body }
    this.#wanted.set(id, message)
    this.#send(message)
  }

  cut() {
    this.#socket?.terminate()
  }

  /** Stops reading for `ms`. */
  async stall(ms) {
    const socket = this.#socket
    socket?.pause()
    await sleep(ms)
    socket?.resume()
  }

  async close() {
    this.#closed = true
    this.#socket?.terminate()
    await this.#running
  }

  async #run() {
    while (!this.#closed) {
      await this.#connect().catch(() => {})
      if (!this.#closed) await sleep(50)
    }
  }

  async #connect() {
    const { url, headers } = await this.#open()
    const socket = new WebSocket(url, { headers, perMessageDeflate: false, handshakeTimeout: 5_000 })
    const closed = new Promise((resolve) => socket.once('close', resolve))
    socket.on('error', () => {})
    socket.on('message', (data) => this.#receive(JSON.parse(new TextDecoder().decode(data))))
    socket.once('open', () => {
      this.#socket = socket
      // Without a cursor: everything from the beginning.
      this.#send({ type: 'subscribe', id: 'all', cursor: this.#cursor ?? '0:0' })
      for (const message of this.#wanted.values()) this.#send(message)
    })
    await closed
    this.#socket = undefined
    this.cuts++
  }

  #send(message) {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message))
  }

  #receive(message) {
    switch (message.type) {
      case 'events':
        if (message.gap) {
          if (this.events.length > 0) this.problems.push(`${this.#name} received a gap`)
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

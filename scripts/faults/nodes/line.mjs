import { connect, createServer } from 'node:net'
import { once } from 'node:events'

/** A TCP proxy between one machine and the database that can be cut or silenced. */
export class Line {
  #target
  #server
  #pairs = new Set()
  #isCut = false

  constructor(target) {
    this.#target = target
  }

  /** Opens the proxy and returns its port. */
  async open() {
    this.#server = createServer((near) => this.#join(near)).listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    return this.#server.address().port
  }

  /** Closes all connections and refuses new ones until `repair`. */
  cut() {
    this.#isCut = true
    for (const [near, far] of this.#pairs) {
      near.destroy()
      far.destroy()
    }
  }

  /** Stops forwarding without closing connections, like a pulled cable. */
  silence() {
    this.#isCut = true
    for (const pair of this.#pairs) for (const socket of pair) socket.pause()
  }

  repair() {
    this.#isCut = false
    for (const pair of this.#pairs) for (const socket of pair) socket.resume()
  }

  async close() {
    this.cut()
    this.#server.close()
    await once(this.#server, 'close')
  }

  #join(near) {
    if (this.#isCut) {
      near.destroy()
      return
    }
    const far = connect(this.#target)
    const pair = [near, far]
    this.#pairs.add(pair)
    for (const [from, to] of [pair, [far, near]]) {
      from.on('error', () => {})
      from.on('data', (bytes) => to.write(bytes))
      from.on('close', () => {
        to.destroy()
        this.#pairs.delete(pair)
      })
    }
  }
}

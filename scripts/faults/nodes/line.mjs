import { connect, createServer } from 'node:net'
import { once } from 'node:events'

/** The network between one machine and the database: a way through which everything goes, and that can be cut. */
export class Line {
  #target
  #server
  #pairs = new Set()
  #isCut = false

  constructor(target) {
    this.#target = target
  }

  /** The port to go to instead of the database's own. */
  async open() {
    this.#server = createServer((near) => this.#join(near)).listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    return this.#server.address().port
  }

  /** Everything that is under way is lost, and nobody gets through until it is mended. */
  cut() {
    this.#isCut = true
    for (const [near, far] of this.#pairs) {
      near.destroy()
      far.destroy()
    }
  }

  /** Nothing is said any more, and nobody is told: as where a cable is pulled. */
  silence() {
    this.#isCut = true
    for (const pair of this.#pairs) for (const socket of pair) socket.pause()
  }

  mend() {
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

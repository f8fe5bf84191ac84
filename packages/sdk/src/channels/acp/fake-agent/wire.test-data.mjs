// The fake agent's side of JSON-RPC 2.0: one message per line, requests both ways.

/** An error that is sent as an error response. */
export class RpcError extends Error {
  constructor(code, message, data) {
    super(message)
    Object.assign(this, { code, data })
  }
}

export class Wire {
  #pending = new Map()
  #asked = 0
  #handlers

  constructor(handlers) {
    this.#handlers = handlers
    this.#listen()
  }

  /** Writes raw bytes. Resolves when they are handed over. */
  raw(text) {
    return new Promise((resolve) => process.stdout.write(text, resolve))
  }

  send(message) {
    return this.raw(line(message))
  }

  update(sessionId, update) {
    return this.raw(updateLine(sessionId, update))
  }

  /** Resolves with the result, or rejects with an RpcError. */
  request(method, params) {
    // Unlike the ids of usual clients, so that a mix-up is noticed.
    const id = `fake-${this.#asked++}`
    void this.send({ id, method, params })
    return new Promise((resolve, reject) => this.#pending.set(id, { resolve, reject }))
  }

  #listen() {
    const parts = []
    process.stdin.setEncoding('utf8')
    process.stdin.on('data', (chunk) => {
      const lines = chunk.split('\n')
      // Chunks of a large message are joined once.
      while (lines.length > 1) {
        parts.push(lines.shift())
        this.#take(parts.splice(0).join(''))
      }
      parts.push(lines[0])
    })
    process.stdin.on('end', () => this.#handlers.onEnd())
  }

  #take(text) {
    if (text.trim() === '') return
    this.#handlers.onLine(text)
    const { id, method, params, result, error } = JSON.parse(text)
    if (method === undefined) this.#settle(id, result, error)
    else if (id === undefined) this.#handlers.onNotification(method, params ?? {})
    else void this.#answer(id, method, params ?? {})
  }

  #settle(id, result, error) {
    const pending = this.#pending.get(id)
    this.#pending.delete(id)
    if (error) pending?.reject(new RpcError(error.code, error.message, error.data))
    else pending?.resolve(result)
  }

  async #answer(id, method, params) {
    try {
      await this.#handlers.onRequest(method, params, (result) => void this.send({ id, result }))
    } catch (error) {
      const { code = -32603, message, data } = error
      await this.send({ id, error: { code, message, ...(data === undefined ? {} : { data }) } })
    }
  }
}

export function updateLine(sessionId, update) {
  return line({ method: 'session/update', params: { sessionId, update } })
}

function line(message) {
  return `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`
}

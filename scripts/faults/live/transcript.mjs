import { randomUUID } from 'node:crypto'
import { appendFileSync, mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** A session file of Gemini CLI that grows record by record, and can be cut or shortened. */
export class Transcript {
  #count = 0
  #half

  constructor(home, name) {
    const folder = join(home, '.gemini', 'tmp', name)
    mkdirSync(join(folder, 'chats'), { recursive: true })
    writeFileSync(join(folder, '.project_root'), `/somewhere/${name}`)
    const id = randomUUID()
    const startTime = new Date().toISOString()
    this.file = join(folder, 'chats', `session-2026-01-01T00-00-${id.slice(0, 8)}.jsonl`)
    this.#append({ sessionId: id, projectHash: 'x', startTime, lastUpdated: startTime, kind: 'main' })
  }

  /** Appends a prompt and its answer. */
  grow() {
    this.repair()
    const timestamp = new Date().toISOString()
    const number = ++this.#count
    this.#append({ id: randomUUID(), timestamp, type: 'user', content: [{ text: `question ${number}` }] })
    const tokens = { input: 1, output: 1, cached: 0, thoughts: 0, tool: 0, total: 2 }
    const answer = { content: `answer ${number}`, thoughts: [], model: 'fake', tokens }
    this.#append({ id: randomUUID(), timestamp, type: 'gemini', ...answer })
  }

  /** Removes half of the last record until `repair`. */
  cut() {
    this.repair()
    const bytes = readFileSync(this.file)
    const from = bytes.lastIndexOf(10, bytes.length - 2) + 1
    const length = from + Math.floor((bytes.length - from) / 2)
    this.#half = bytes.subarray(length)
    truncateSync(this.file, length)
  }

  /** Rewrites the file without its last records, then appends others. */
  shorten() {
    this.repair()
    const lines = readFileSync(this.file, 'utf8').trimEnd().split('\n')
    writeFileSync(this.file, `${lines.slice(0, Math.max(1, lines.length - 3)).join('\n')}\n`)
    this.grow()
  }

  repair() {
    if (this.#half) appendFileSync(this.file, this.#half)
    this.#half = undefined
  }

  #append(record) {
    appendFileSync(this.file, `${JSON.stringify(record)}\n`)
  }
}

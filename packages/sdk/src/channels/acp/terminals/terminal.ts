import type { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { StringDecoder } from 'node:string_decoder'
import { setTimeout as sleep } from 'node:timers/promises'
import { guardTree } from '../../../process/guard-tree.ts'
import { type Exit, type SpawnOptions, type Tree, spawnTree } from '../../../process/spawn-tree.ts'

/** The exit status of a command, as in the protocol. */
export interface ExitStatus {
  readonly exitCode: number | null
  readonly signal: string | null
}

// How long to wait for the last output, because a leftover process may keep it open forever.
const lastBytesMs = 250
const killGraceMs = 1000

/** One command with its output. @example const terminal = await Terminal.start({ command: 'ls' }, 10_000) */
export class Terminal {
  readonly #tree: Tree
  readonly #tail: Tail
  readonly #release: () => void
  #exit: ExitStatus | undefined
  /** Resolves when the command has ended and its output is complete; never rejects. */
  readonly ended: Promise<ExitStatus>

  static async start(options: SpawnOptions, outputBytes: number): Promise<Terminal> {
    return new Terminal(await spawnTree(options), outputBytes)
  }

  private constructor(tree: Tree, outputBytes: number) {
    this.#tree = tree
    this.#tail = new Tail(outputBytes)
    this.#release = guardTree(tree)
    const read = Promise.all([this.#read(tree.stdout), this.#read(tree.stderr)])
    this.ended = this.#end(tree.exited, read)
  }

  get isRunning(): boolean {
    return this.#exit === undefined
  }

  output(): { output: string; truncated: boolean; exitStatus: ExitStatus | null } {
    return {
      output: this.#tail.toString(),
      truncated: this.#tail.truncated,
      exitStatus: this.#exit ?? null,
    }
  }

  /** Ends the command and all its processes, also those that outlived it. */
  async kill(): Promise<void> {
    await this.#tree.kill({ grace: killGraceMs })
    await this.ended
  }

  /** Ends it and releases everything. */
  async close(): Promise<void> {
    try {
      await this.kill()
    } finally {
      this.#release()
      this.#tree.stdout.destroy()
      this.#tree.stderr.destroy()
    }
  }

  /** Each stream has its own decoder, so that neither can split a character of the other. */
  async #read(stream: Readable): Promise<void> {
    const decoder = new StringDecoder('utf8')
    const add = (text: string) => this.#tail.add(Buffer.from(text))
    stream.on('data', (chunk: Buffer) => add(decoder.write(chunk)))
    // Also handles a stream that has already ended.
    await finished(stream, { writable: false }).catch(() => {})
    add(decoder.end())
  }

  async #end(exited: Promise<Exit>, read: Promise<unknown>): Promise<ExitStatus> {
    const { code, signal } = await exited
    const late = new AbortController()
    await Promise.race([read, sleep(lastBytesMs, undefined, { signal: late.signal }).catch(() => {})])
    late.abort()
    this.#exit = { exitCode: code, signal }
    return this.#exit
  }
}

/** Keeps the last bytes of an endless output. @example new Tail(1000).add(Buffer.from('hello')) */
export class Tail {
  readonly #limit: number
  #bytes = Buffer.alloc(0)
  #length = 0
  #truncated = false

  constructor(limit: number) {
    this.#limit = limit
  }

  get truncated(): boolean {
    return this.#truncated || this.#length > this.#limit
  }

  /** Accepts only whole UTF-8 characters. */
  add(bytes: Uint8Array): void {
    const added = bytes.subarray(Math.max(0, bytes.length - this.#limit))
    if (added.length < bytes.length) this.#truncated = true
    if (this.#length + added.length > this.#bytes.length) this.#makeRoom(added.length)
    this.#bytes.set(added, this.#length)
    this.#length += added.length
  }

  toString(): string {
    let start = Math.max(0, this.#length - this.#limit)
    // A cut character is dropped, because its remaining bytes would be misread.
    while (start < this.#length && ((this.#bytes[start] ?? 0) & 0xc0) === 0x80) start++
    return this.#bytes.toString('utf8', start, this.#length)
  }

  // Up to twice the limit is kept, so that bytes are moved rarely instead of at every chunk.
  #makeRoom(more: number): void {
    const start = Math.max(0, this.#length + more - this.#limit)
    const drop = this.#length + more > 2 * this.#limit ? Math.min(start, this.#length) : 0
    if (drop > 0) this.#truncated = true
    const kept = this.#length - drop
    const size = Math.min(2 * this.#limit, Math.max(2 * (kept + more), 1024))
    const next = size > this.#bytes.length ? Buffer.alloc(size) : this.#bytes
    this.#bytes.copy(next, 0, drop, this.#length)
    this.#bytes = next
    this.#length = kept
  }
}

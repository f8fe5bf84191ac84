import { RemoraError } from '@remora/protocol'

const lineFeed = 10

/**
 * Cuts bytes into lines at LF and nowhere else. Every byte is looked at once, however long a line is, and becomes
 * text only when its line is complete, so characters may be torn between chunks.
 *
 * @example for (const line of splitter.push(chunk)) handle(line)
 */
export class LineSplitter {
  readonly #maxBytes: number
  #parts: Buffer[] = []
  #size = 0

  constructor(maxBytes = 256 * 1024 * 1024) {
    this.#maxBytes = maxBytes
  }

  /** The lines that this chunk completes. */
  push(chunk: Uint8Array | string): string[] {
    const bytes = asBuffer(chunk)
    const lines: string[] = []
    let start = 0
    for (let end = bytes.indexOf(lineFeed); end !== -1; end = bytes.indexOf(lineFeed, start)) {
      this.#check(this.#size + end - start)
      // Most lines lie within one chunk and need no copy.
      lines.push(
        this.#size === 0 ? bytes.toString('utf8', start, end) : this.#join(bytes.subarray(start, end)),
      )
      start = end + 1
    }
    if (start < bytes.length) {
      this.#parts.push(bytes.subarray(start))
      this.#size += bytes.length - start
      this.#check(this.#size)
    }
    return lines
  }

  /** The last line, if it has no LF. */
  end(): string[] {
    return this.#size === 0 ? [] : [this.#join(Buffer.alloc(0))]
  }

  #join(tail: Buffer): string {
    const line = Buffer.concat([...this.#parts, tail]).toString('utf8')
    this.#parts = []
    this.#size = 0
    return line
  }

  // A string holds about 512 MiB; a program that never ends its line must not take all memory before that.
  #check(size: number): void {
    if (size <= this.#maxBytes) return
    throw new RemoraError('input', `A line is longer than ${this.#maxBytes} bytes`, {
      hint: 'The program writes something else than lines, or maxBytes is too small.',
    })
  }
}

function asBuffer(chunk: Uint8Array | string): Buffer {
  if (typeof chunk === 'string') return Buffer.from(chunk)
  return Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
}

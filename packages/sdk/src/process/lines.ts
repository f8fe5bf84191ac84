import { StringDecoder } from 'node:string_decoder'
import { RemoraError } from '@remora/protocol/plain'

/**
 * Reads the lines of a stream, split at LF only: U+2028 and CR may occur inside JSON, and JSON.parse treats a CR before
 * the LF as a space. A last line without LF counts. Does not read ahead of the consumer.
 *
 * @example for await (const line of lines(tree.stdout)) handle(JSON.parse(line))
 */
export async function* lines(
  chunks: AsyncIterable<Uint8Array | string> | Iterable<Uint8Array | string>,
  options: { limit?: number } = {},
): AsyncGenerator<string, void, undefined> {
  const splitter = new LineSplitter(options.limit)
  for await (const chunk of chunks) {
    yield* splitter.push(
      typeof chunk === 'string' ? chunk : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength),
    )
  }
  yield* splitter.end()
}

/**
 * Splits bytes into lines at LF only. Every byte is scanned once, however long a line is, and characters may be split
 * between chunks.
 *
 * @example for (const line of splitter.push(chunk)) handle(line)
 */
export class LineSplitter {
  readonly #limit: number
  readonly #decoder = new StringDecoder('utf8')
  #parts: string[] = []
  #size = 0

  /** A string holds about 512 MiB; a program that never ends its line must not exhaust memory. */
  constructor(limit = 256 * 1024 * 1024) {
    this.#limit = limit
  }

  /** Returns the lines that this chunk completes. */
  push(chunk: Buffer | string): string[] {
    return this.#cut(typeof chunk === 'string' ? chunk : this.#decoder.write(chunk))
  }

  /** Returns the last line, if it has no LF. */
  end(): string[] {
    const lines = this.#cut(this.#decoder.end())
    if (this.#size > 0) lines.push(this.#take(''))
    return lines
  }

  #cut(text: string): string[] {
    const lines: string[] = []
    let start = 0
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
      this.#check(this.#size + end - start)
      const tail = text.slice(start, end)
      lines.push(this.#size === 0 ? tail : this.#take(tail))
      start = end + 1
    }
    if (start < text.length) {
      this.#parts.push(start === 0 ? text : text.slice(start))
      this.#size += text.length - start
      this.#check(this.#size)
    }
    return lines
  }

  #take(tail: string): string {
    // Joined once, when the line is complete, because joining at every chunk would copy a long line repeatedly.
    const line = this.#parts.join('') + tail
    this.#parts = []
    this.#size = 0
    return line
  }

  #check(size: number): void {
    if (size <= this.#limit) return
    throw new RemoraError('input', `A line is longer than ${this.#limit} characters`, {
      hint: 'The program writes something else than lines, or the limit is too small.',
    })
  }
}

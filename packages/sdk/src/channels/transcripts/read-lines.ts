import { openSync, readSync } from 'node:fs'

/** A line of a file, without its line break. Its bytes are valid until the next lines are requested. */
export interface Line {
  /** Its offset in the file. */
  readonly offset: number
  /** The offset of the next line. */
  readonly next: number
  /** The buffer that holds it from `start` to `end`; undefined for a line above the size limit. */
  readonly buffer: Buffer | undefined
  readonly start: number
  readonly end: number
  /** Whether it ends with LF; the last line may be half written. */
  readonly whole: boolean
}

/** The largest record that is read. A larger one is an error in the file. */
export const longestLine = 128 * 1024 * 1024
/** Small enough to stay in the CPU cache until it is split: twice as fast as 1 MiB. */
const chunkSize = 128 * 1024

/** Splits the chunks of a file into lines. */
class LineCutter {
  readonly #limit: number
  #position: number
  #start: number
  #parts: Buffer[] = []
  #size = 0

  constructor(from: number, limit = longestLine) {
    this.#position = from
    this.#start = from
    this.#limit = limit
  }

  /** The offset of the next chunk. */
  get position(): number {
    return this.#position
  }

  /** Returns the lines that this chunk completes. */
  cut(bytes: Buffer): Line[] {
    const lines: Line[] = []
    let from = 0
    for (let end = bytes.indexOf(10); end !== -1; end = bytes.indexOf(10, from)) {
      const offset = this.#start
      const next = this.#position + end + 1
      if (this.#size === 0) lines.push({ offset, next, buffer: bytes, start: from, end, whole: true })
      else {
        const buffer = this.#take(bytes.subarray(from, end))
        lines.push({ offset, next, buffer, start: 0, end: buffer?.length ?? 0, whole: true })
      }
      this.#start = next
      from = end + 1
    }
    if (from < bytes.length) {
      this.#size += bytes.length - from
      // Joined once, when the line is complete. A line above the limit is only counted.
      if (this.#size <= this.#limit) this.#parts.push(Buffer.from(bytes.subarray(from)))
      else this.#parts = []
    }
    this.#position += bytes.length
    return lines
  }

  /** Returns the text after the last LF. */
  rest(): Line[] {
    if (this.#size === 0) return []
    const buffer = this.#take(Buffer.alloc(0))
    const place = { offset: this.#start, next: this.#position, start: 0, end: buffer?.length ?? 0 }
    return [{ ...place, buffer, whole: false }]
  }

  #take(tail: Buffer): Buffer | undefined {
    const size = this.#size + tail.length
    const parts = this.#parts
    this.#parts = []
    this.#size = 0
    return size > this.#limit ? undefined : Buffer.concat([...parts, tail])
  }
}

/** Opens a file; undefined if it does not exist, and the error if it is unreadable. */
export function openFile(path: string): number | string | undefined {
  try {
    return openSync(path, 'r')
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    return code === 'ENOENT' || code === 'ENOTDIR' ? undefined : message
  }
}

/**
 * Reads the lines of a file from an offset, chunk by chunk, so that memory does not grow with the file. Synchronous,
 * because awaiting each of a thousand small files takes longer than reading them.
 *
 * @example for (const lines of readLines(file, 0)) for (const line of lines) handle(line)
 */
export function* readLines(
  file: number,
  from: number,
  options: { readonly limit?: number; readonly chunkSize?: number } = {},
): Generator<Line[]> {
  const chunk = spare.pop() ?? Buffer.allocUnsafe(chunkSize)
  const size = Math.min(options.chunkSize ?? chunkSize, chunkSize)
  const cutter = new LineCutter(from, options.limit)
  try {
    for (;;) {
      const length = readSync(file, chunk, 0, size, cutter.position)
      if (length === 0) break
      const lines = cutter.cut(chunk.subarray(0, length))
      if (lines.length > 0) yield lines
    }
    const rest = cutter.rest()
    if (rest.length > 0) yield rest
  } finally {
    spare.push(chunk)
  }
}

/** Unused buffers, because allocating one for each small file would cost more than reading it. */
const spare: Buffer[] = []

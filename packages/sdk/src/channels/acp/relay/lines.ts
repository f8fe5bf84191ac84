import { once } from 'node:events'
import type { Writable } from 'node:stream'
import { RemoraError } from '@remora/protocol/plain'

/** Longer lines are not messages. The limit keeps an unterminated line from using all memory. */
const limit = 256 * 1024 * 1024

/**
 * Reads the lines of a stream as bytes, each with its LF, so that they can be forwarded unchanged. A last line without
 * LF counts.
 *
 * @example for await (const line of byteLines(process.stdin)) target.write(line)
 */
export async function* byteLines(
  chunks: AsyncIterable<Uint8Array | string>,
): AsyncGenerator<Buffer, void, undefined> {
  let parts: Buffer[] = []
  let size = 0
  for await (const chunk of chunks) {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : asBuffer(chunk)
    let start = 0
    for (let end = bytes.indexOf(10); end !== -1; end = bytes.indexOf(10, start)) {
      const tail = bytes.subarray(start, end + 1)
      start = end + 1
      // Joined once per line, because joining at every chunk would copy a long line repeatedly.
      const line = parts.length === 0 ? tail : Buffer.concat([...parts, tail])
      parts = []
      size = 0
      yield line
    }
    if (start === bytes.length) continue
    parts.push(bytes.subarray(start))
    size += bytes.length - start
    if (size > limit)
      throw new RemoraError('input', `A line is longer than ${limit} bytes`, {
        hint: 'One of the two sides writes something else than JSON-RPC, a message a line.',
      })
  }
  if (size > 0) yield Buffer.concat(parts)
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

/** Writes whole lines to one side of the wire, with backpressure. */
export class LineTarget {
  readonly #stream: Writable
  readonly #signal: AbortSignal

  /** The signal ends the wait for a slow reader. */
  constructor(stream: Writable, signal: AbortSignal) {
    this.#stream = stream
    this.#signal = signal
  }

  /** Does nothing if the other side has ended, which is reported elsewhere. */
  async write(line: Buffer | string): Promise<void> {
    const stream = this.#stream
    if (stream.destroyed || stream.writableEnded) return
    const complete = typeof line === 'string' || line.at(-1) === 10
    const taken = stream.write(line)
    if (!complete) stream.write('\n')
    if (taken || stream.destroyed) return
    const stop = new AbortController()
    const signal = AbortSignal.any([this.#signal, stop.signal])
    try {
      await Promise.race([once(stream, 'drain', { signal }), once(stream, 'close', { signal })])
    } catch {
      // The stream broke or the relay ends, so there is nothing to wait for.
    } finally {
      stop.abort()
    }
  }

  send(message: object): Promise<void> {
    return this.write(`${JSON.stringify(message)}\n`)
  }
}

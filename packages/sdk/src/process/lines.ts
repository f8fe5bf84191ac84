import { RemoraError } from '@remora/protocol'

const lineFeed = 10

/**
 * The lines of a stream, cut at LF and nowhere else: U+2028 and a lone CR stay inside their line, where JSON may have
 * them, and a CR before the LF is kept (JSON.parse takes it for a space). Bytes become text only when the line is
 * complete, so characters may be torn between chunks. A last line without LF counts. Nothing is read ahead of the
 * consumer, and every byte is looked at once, however long the line.
 *
 * @example for await (const line of lines(tree.stdout)) handle(JSON.parse(line))
 */
export async function* lines(
  chunks: AsyncIterable<Uint8Array | string> | Iterable<Uint8Array | string>,
  options: { maxBytes?: number } = {},
): AsyncGenerator<string, void, undefined> {
  const { maxBytes = 256 * 1024 * 1024 } = options
  let parts: Buffer[] = []
  let size = 0
  for await (const chunk of chunks) {
    const bytes = asBuffer(chunk)
    let start = 0
    for (let end = bytes.indexOf(lineFeed); end !== -1; end = bytes.indexOf(lineFeed, start)) {
      // Most lines lie within one chunk and need no copy.
      const tail = bytes.subarray(start, end)
      check(size + tail.length, maxBytes)
      yield size === 0 ? tail.toString('utf8') : Buffer.concat([...parts, tail]).toString('utf8')
      parts = []
      size = 0
      start = end + 1
    }
    if (start < bytes.length) {
      parts.push(bytes.subarray(start))
      size += bytes.length - start
      check(size, maxBytes)
    }
  }
  if (size > 0) yield Buffer.concat(parts).toString('utf8')
}

function asBuffer(chunk: Uint8Array | string): Buffer {
  if (typeof chunk === 'string') return Buffer.from(chunk)
  return Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
}

// A string holds about 512 MiB; a program that never ends its line must not take all memory before that.
function check(size: number, maxBytes: number): void {
  if (size <= maxBytes) return
  throw new RemoraError('input', `A line is longer than ${maxBytes} bytes`, {
    hint: 'The program writes something else than lines, or maxBytes is too small.',
  })
}

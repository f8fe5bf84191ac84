import type { FileHandle } from 'node:fs/promises'

/** A line of a file, without its end. The bytes are good until the next chunk is asked for. */
export interface Line {
  readonly offset: number
  /** The offset behind the line and its end. */
  readonly next: number
  /** Undefined for a line that is longer than any record may be. */
  readonly bytes: Buffer | undefined
  /** Whether it ends with LF; the last one may be half written. */
  readonly whole: boolean
}

/** A record of this size is a mistake; to read it would take more memory than it is worth. */
export const longestLine = 128 * 1024 * 1024

/**
 * The lines of a file from an offset on, chunk by chunk, so that memory does not grow with the file.
 *
 * @example for await (const lines of readLines(handle, 0)) for (const line of lines) handle(line)
 */
export async function* readLines(
  handle: FileHandle,
  from: number,
  { limit = longestLine, chunkSize = 1024 * 1024 } = {},
): AsyncGenerator<Line[]> {
  const chunk = Buffer.allocUnsafe(chunkSize)
  let position = from
  let start = from
  let parts: Buffer[] = []
  let size = 0
  for (;;) {
    const { bytesRead } = await handle.read(chunk, 0, chunkSize, position)
    if (bytesRead === 0) break
    const bytes = chunk.subarray(0, bytesRead)
    const lines: Line[] = []
    let cut = 0
    for (let end = bytes.indexOf(10); end !== -1; end = bytes.indexOf(10, cut)) {
      const tail = bytes.subarray(cut, end)
      const whole = size === 0 ? tail : size > limit ? undefined : Buffer.concat([...parts, tail])
      const next = position + end + 1
      lines.push({ offset: start, next, bytes: whole, whole: true })
      parts = []
      size = 0
      start = next
      cut = end + 1
    }
    if (cut < bytesRead) {
      size += bytesRead - cut
      // Joined once, when the line is complete. What is too long is only counted.
      if (size <= limit) parts.push(Buffer.from(bytes.subarray(cut)))
      else parts = []
    }
    position += bytesRead
    if (lines.length > 0) yield lines
  }
  if (size > 0) {
    const bytes = size > limit ? undefined : Buffer.concat(parts)
    yield [{ offset: start, next: position, bytes, whole: false }]
  }
}

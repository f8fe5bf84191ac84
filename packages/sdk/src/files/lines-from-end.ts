import { open } from 'node:fs/promises'

const chunkSize = 256 * 1024

/**
 * Reads the lines of a file from the last to the first, to find recent records quickly. A missing file has no lines.
 *
 * @example for await (const line of readLinesFromEnd('/home/me/session.jsonl')) …
 */
export async function* readLinesFromEnd(path: string, size = chunkSize): AsyncGenerator<Buffer> {
  const file = await open(path).catch(() => undefined)
  if (!file) return
  try {
    /** The chunks of a line whose start is not read yet. They are joined once, when the line is complete. */
    let rest: Buffer[] = []
    for (let end = (await file.stat()).size; end > 0;) {
      const start = Math.max(0, end - size)
      const { buffer, bytesRead } = await file.read(Buffer.alloc(end - start), 0, end - start, start)
      let until = bytesRead
      for (let at = findLineEnd(buffer, until); at !== -1; at = findLineEnd(buffer, until)) {
        yield Buffer.concat([buffer.subarray(at + 1, until), ...rest])
        rest = []
        until = at
      }
      rest.unshift(buffer.subarray(0, until))
      end = start
    }
    if (rest.length > 0) yield Buffer.concat(rest)
  } finally {
    await file.close()
  }
}

function findLineEnd(buffer: Buffer, before: number): number {
  return before === 0 ? -1 : buffer.lastIndexOf(0x0a, before - 1)
}

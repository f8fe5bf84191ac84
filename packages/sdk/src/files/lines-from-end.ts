import { open } from 'node:fs/promises'

const chunkSize = 256 * 1024

/**
 * The lines of a file from the last one to the first, for those who look for something that was written lately. None
 * where there is no such file.
 *
 * @example for await (const line of readLinesFromEnd('/home/me/session.jsonl')) …
 */
export async function* readLinesFromEnd(path: string, size = chunkSize): AsyncGenerator<Buffer> {
  const file = await open(path).catch(() => undefined)
  if (!file) return
  try {
    /** What is known of a line whose beginning is still to come. A long one is put together once, not at every step. */
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

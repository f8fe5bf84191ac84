import { RemoraError } from '@remora/protocol/plain'

/** The text of a file. One that is no UTF-8 is refused: what is written back would not be what was read. */
export function textFrom(path: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (cause) {
    throw new RemoraError('input', `${path} is no text in UTF-8`, { cause })
  }
}

/**
 * Some lines of a text, with their ends as they are; the first line is 1.
 *
 * @example selectLines('a\nb\nc\n', { line: 2, limit: 1 }) // 'b\n'
 */
export function selectLines(
  text: string,
  part: { line?: number | undefined; limit?: number | undefined },
): string {
  const start = after(text, 0, Math.max(0, (part.line ?? 1) - 1))
  return part.limit === undefined ? text.slice(start) : text.slice(start, after(text, start, part.limit))
}

/** Where so many lines have ended. */
function after(text: string, from: number, lines: number): number {
  let place = from
  for (let line = 0; line < lines && place < text.length; line++) {
    const end = text.indexOf('\n', place)
    place = end === -1 ? text.length : end + 1
  }
  return place
}

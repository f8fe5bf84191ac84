/** A piece of a text: as it is, or a sign that cannot be seen, by its number. */
export interface Piece {
  readonly text: string
  readonly isHidden: boolean
}

/**
 * Who allows a command must see all of it. Signs without a picture, and those that turn the order of others around, could
 * make it look like another one: each becomes its number.
 *
 * @example visiblePieces('a\u202eb') // a, U+202E, b
 */
export function visiblePieces(text: string): Piece[] {
  const pieces: Piece[] = []
  let from = 0
  for (let at = 0; at < text.length;) {
    const code = text.codePointAt(at)!
    const size = code > 0xffff ? 2 : 1
    if (isHidden(code)) {
      if (from < at) pieces.push({ text: text.slice(from, at), isHidden: false })
      pieces.push({ text: `U+${code.toString(16).toUpperCase().padStart(4, '0')}`, isHidden: true })
      from = at + size
    }
    at += size
  }
  if (from < text.length) pieces.push({ text: text.slice(from), isHidden: false })
  return pieces
}

const tab = 0x09
const newLine = 0x0a

/** From and to, of what no font draws. The emoji selector U+FE0F is not among them: it hides nothing. */
const ranges: readonly (readonly [number, number])[] = [
  [0x00, 0x1f],
  [0x7f, 0x9f],
  [0xad, 0xad],
  [0x034f, 0x034f],
  [0x061c, 0x061c],
  [0x115f, 0x1160],
  [0x17b4, 0x17b5],
  [0x180b, 0x180f],
  [0x200b, 0x200f],
  [0x2028, 0x202e],
  [0x2060, 0x206f],
  [0x3164, 0x3164],
  [0xd800, 0xdfff],
  [0xfeff, 0xfeff],
  [0xffa0, 0xffa0],
  [0xfff0, 0xfffb],
  [0xe0000, 0xe0fff],
]

function isHidden(code: number): boolean {
  if (code === tab || code === newLine || (code >= 0x20 && code < 0x7f)) return false
  return ranges.some(([from, to]) => code >= from && code <= to)
}

/*
 * PostgreSQL's text cannot hold NUL or lone surrogates, but agents write both: terminal output contains them, and a
 * line may be cut anywhere. Each is written as this mark and four hexadecimal digits, and so is the mark itself. A
 * prefix of a text encodes to a prefix of its encoding, so prefix searches work. Connection does this for all
 * parameters and results.
 */
const mark = '\u0001'

// eslint-disable-next-line no-control-regex
const everyUnfit = /[\0\u0001]|\p{Surrogate}/gu

/** Encodes a text for the database. @example encodeText('a\0b') */
export function encodeText(text: string): string {
  // Most texts need no encoding, and these three checks are faster than a pattern.
  if (isWellFormed(text) && !text.includes(mark) && !text.includes('\0')) return text
  return text.replace(everyUnfit, (unit) => mark + unit.charCodeAt(0).toString(16).padStart(4, '0'))
}

export function decodeText(text: string): string {
  if (!text.includes(mark)) return text
  const [first, ...rest] = text.split(mark)
  return (
    first! + rest.map((part) => String.fromCharCode(parseInt(part.slice(0, 4), 16)) + part.slice(4)).join('')
  )
}

/** All supported Node versions have it, but the TypeScript library does not. */
function isWellFormed(text: string): boolean {
  return (text as string & { isWellFormed(): boolean }).isWellFormed()
}

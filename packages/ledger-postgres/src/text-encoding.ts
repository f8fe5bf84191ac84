/*
 * PostgreSQL's text has no NUL and no half of a sign (a lone surrogate), and agents write both: a terminal's output has
 * them, and a line may be cut anywhere. What it cannot hold is written as this mark and four hexadecimal digits, and so is
 * the mark itself, so that every text comes back as it was. Of a beginning of a text comes the beginning of what is
 * stored, so that searches by prefix work. Connection does it for all parameters and results.
 */
const mark = '\u0001'

// eslint-disable-next-line no-control-regex
const everyUnfit = /[\0\u0001]|\p{Surrogate}/gu

/** A text as the database can hold it. @example encodeText('a\0b') */
export function encodeText(text: string): string {
  // Nearly every text is fit, and there are many: these three are quicker than a pattern.
  if (isWellFormed(text) && !text.includes(mark) && !text.includes('\0')) return text
  return text.replace(everyUnfit, (unit) => mark + unit.charCodeAt(0).toString(16).padStart(4, '0'))
}

/** The text that was given to `encodeText`. */
export function decodeText(text: string): string {
  if (!text.includes(mark)) return text
  const [first, ...rest] = text.split(mark)
  return (
    first! + rest.map((part) => String.fromCharCode(parseInt(part.slice(0, 4), 16)) + part.slice(4)).join('')
  )
}

/** Every Node that we run on has it; the types come with a later library. */
function isWellFormed(text: string): boolean {
  return (text as string & { isWellFormed(): boolean }).isWellFormed()
}

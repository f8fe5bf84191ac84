import { createHash } from 'node:crypto'
import { separateCharacters } from './phrases.ts'

/**
 * The words of a text as an index has them: small, and Latin letters without their accents. It cuts as SQLite's
 * `unicode61 remove_diacritics 2` does, so that every engine finds the same; letters that are younger than Unicode 6.1 are
 * letters here.
 *
 * @example tokenize('Café_crème 100%') // cafe, creme, 100
 */
export function tokenize(text: string): string[] {
  // eslint-disable-next-line no-control-regex
  if (/^[\0-\x7f]*$/.test(text)) return text.toLowerCase().match(/[a-z0-9]+/g) ?? []
  return (separateCharacters(text).match(word) ?? []).map(fold)
}

/** An accent of its own belongs to the letter before it; any other mark parts words. */
const word = /[\p{L}\p{N}\p{Co}][\p{L}\p{N}\p{Co}\u0300-\u036f]*/gu

const folded = new Map<string, string>()

function fold(token: string): string {
  let text = ''
  for (const sign of token) {
    const code = sign.codePointAt(0)!
    if (code < 0x80) text += sign.toLowerCase()
    else {
      let plain = folded.get(sign)
      if (plain === undefined) folded.set(sign, (plain = foldSign(sign)))
      text += plain
    }
  }
  return text
}

function foldSign(sign: string): string {
  if (/[\u0300-\u036f]/.test(sign)) return ''
  // Its capital is that of another letter.
  if (sign === 'ı') return sign
  const capital = lone(sign, sign.toUpperCase())
  // By way of the capital letter, since a small one may have two forms.
  const small = lone(capital, capital.toLowerCase())
  const [base] = small.normalize('NFD')
  return base! < '\x80' ? base!.toLowerCase() : small
}

/** A case that takes more than one sign is none. */
function lone(sign: string, other: string): string {
  return other.length <= sign.length ? other : sign
}

/** Longer words are data. They are found as a whole, and by their beginning. */
const longestWord = 500

/** A word as short as an index can hold it, by which a long one is still told from others. */
export function shortenToken(token: string): string {
  if (token.length <= longestWord) return token
  const beginning = token.slice(0, longestWord).replace(/[\ud800-\udbff]$/, '')
  return `${beginning}${createHash('sha1').update(token).digest('hex')}`
}

import { createHash } from 'node:crypto'
import { separateCharacters } from './phrases.ts'

/**
 * The words of a text as the index stores them: lower case, and Latin letters without accents. It splits like SQLite's
 * `unicode61 remove_diacritics 2`, so that all engines find the same; letters added after Unicode 6.1 count as letters.
 *
 * @example tokenize('Café_crème 100%') // cafe, creme, 100
 */
export function tokenize(text: string): string[] {
  // eslint-disable-next-line no-control-regex
  if (/^[\0-\x7f]*$/.test(text)) return text.toLowerCase().match(/[a-z0-9]+/g) ?? []
  return (separateCharacters(text).match(word) ?? []).map(fold)
}

/** A combining accent belongs to the letter before it; any other mark separates words. */
const word = /[\p{L}\p{N}\p{Co}][\p{L}\p{N}\p{Co}\u0300-\u036f]*/gu

const folded = new Map<string, string>()

function fold(token: string): string {
  let text = ''
  for (const character of token) {
    const code = character.codePointAt(0)!
    if (code < 0x80) text += character.toLowerCase()
    else {
      let plain = folded.get(character)
      if (plain === undefined) folded.set(character, (plain = foldCharacter(character)))
      text += plain
    }
  }
  return text
}

function foldCharacter(character: string): string {
  if (/[\u0300-\u036f]/.test(character)) return ''
  // Its capital belongs to another letter.
  if (character === 'ı') return character
  const capital = keepSingle(character, character.toUpperCase())
  // By way of the capital letter, since a small letter may have two forms.
  const small = keepSingle(capital, capital.toLowerCase())
  const [base] = small.normalize('NFD')
  return base! < '\x80' ? base!.toLowerCase() : small
}

/** Keeps a character whose other case has more than one character. */
function keepSingle(character: string, other: string): string {
  return other.length <= character.length ? other : character
}

/** Longer words are data. They are found as a whole or by their beginning. */
const maxWordLength = 500

/** Shortens a word to what the index can hold; a hash keeps long words distinct. */
export function shortenToken(token: string): string {
  if (token.length <= maxWordLength) return token
  const beginning = token.slice(0, maxWordLength).replace(/[\ud800-\udbff]$/, '')
  return `${beginning}${createHash('sha1').update(token).digest('hex')}`
}

/** A piece of a text: unchanged, or a mark for characters that a reader could miss or mistake. */
export interface MarkedPiece {
  readonly text: string
  readonly isMark: boolean
}

/** `lines` keeps line breaks. `line` marks them too, and every second space, for surfaces that show one line. */
export type MarkLayout = 'lines' | 'line'

/** Marks that need no brackets in plain text. */
export const symbols = { tab: '⇥', newline: '↵' } as const

/**
 * Splits a text so that everything in it can be seen: control, invisible and bidirectional characters, unusual spaces,
 * stacks of combining characters and look-alike letters become their numbers, long runs of spaces their count.
 *
 * @example markText('rm \u202Efr-') // 'rm ', U+202E, 'fr-'
 */
export function markText(text: string, layout: MarkLayout = 'lines'): MarkedPiece[] {
  const pieces = new Pieces()
  const lookalikes = findLookalikes(text)
  let at = 0
  // A combining character without a letter before it cannot combine.
  let stack = mostCombining
  while (at < text.length) {
    usual.lastIndex = at
    const plain = usual.exec(text)?.[0]
    if (plain !== undefined) {
      pieces.add({ text: plain, isMark: false })
      at += plain.length
      stack = 0
      continue
    }
    const blank = readBlank(text, at, layout)
    if (blank) {
      pieces.add(blank.piece)
      at += blank.length
      stack = mostCombining
      continue
    }
    const char = String.fromCodePoint(text.codePointAt(at)!)
    const isCombining = combining.test(char)
    stack = isCombining ? stack + 1 : 0
    const isHidden = isCombining
      ? stack > mostCombining || overlay.test(char) || !isVariation(text, at, char)
      : isUnclear(char) || (layout === 'line' && char === '│')
    if (isHidden || lookalikes.has(at)) pieces.add(toMark(char))
    else pieces.add({ text: char, isMark: false })
    at += char.length
  }
  return pieces.list
}

/** A text with its marks, for surfaces that show plain text. @example formatMarked('a\u202Eb') // 'a⟨U+202E⟩b' */
export function formatMarked(text: string, layout: MarkLayout = 'lines'): string {
  return markText(text, layout).map(formatPiece).join('')
}

export function formatPiece({ text, isMark }: MarkedPiece): string {
  return !isMark || text === symbols.tab || text === symbols.newline ? text : `⟨${text}⟩`
}

/** ASCII words with single spaces, the most common text. */
const usual = /[!-~]+(?: [!-~]+)*/y
/** More combining characters on one letter could cover the text around it. */
const mostCombining = 2
/** Indentation up to this width is shown as it is. */
const mostIndent = 32
/** Shorter runs of spaces between words are shown as they are. */
const leastRun = { lines: 4, line: 2 } as const
/** Shorter runs of line breaks are shown as they are. */
const leastBreaks = 4

const combining = /^\p{M}$/u
/** Lines through a letter, and frames around it; the frame of keycaps is one of an emoji. */
const overlay = /^(?:[\u0334-\u0338\u20D2-\u20D3\u20D8-\u20DA\u20E5-\u20E6\u20EA-\u20EB]|(?!\u20E3)\p{Me})$/u
const invisible = /^[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]$/u
/** The symbols of our own marks, and characters that look like punctuation of shells and paths. */
const confusing =
  /^[⟨⟩⇥↵\u00B4\u01C0\u01C3\u02B9-\u02BC\u02C6\u02D0\u02F8\u0589\u05C3\u2010-\u2013\u2032\u2035\u2044\u2212\u2215\u2216\u2223\u2236\u223C\u29F5\u29F8\u29F9\uA789]$/u
/** Latin letters of phonetic alphabets, and an i without its dot. */
const phonetic = /^[\u0131\u0237\u0250-\u02AF\u1D00-\u1DBF\uA720-\uA7FF\uAB30-\uAB6F]$/u

function isUnclear(char: string): boolean {
  if (/^[ -~]$/.test(char)) return false
  if (invisible.test(char) || confusing.test(char) || phonetic.test(char)) return true
  // Full-width and mathematical letters, ligatures and spaces of every width.
  return /^[ -~]+$/.test(char.normalize('NFKC'))
}

/** The selector that makes an emoji of a character hides nothing; behind a letter it is an invisible difference. */
function isVariation(text: string, at: number, char: string): boolean {
  if (!invisible.test(char)) return true
  return (
    char === '\uFE0F' && /(?:\p{Extended_Pictographic}|[0-9#*])$/u.test(text.slice(Math.max(0, at - 2), at))
  )
}

function toMark(char: string): MarkedPiece {
  const number = `U+${char.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`
  // A letter that can be seen is shown beside its number.
  return { text: /^\p{L}$/u.test(char) && !invisible.test(char) ? `${char} ${number}` : number, isMark: true }
}

/** Spaces, tabs and line breaks. */
function readBlank(
  text: string,
  at: number,
  layout: MarkLayout,
): { readonly piece: MarkedPiece; readonly length: number } | undefined {
  const char = text[at]
  if (char === '\t') return { piece: { text: symbols.tab, isMark: true }, length: 1 }
  if (char !== ' ' && char !== '\n') return undefined
  let length = 1
  while (text[at + length] === char) length++
  const run = text.slice(at, at + length)
  if (char === '\n') {
    if (layout === 'line')
      return {
        piece: { text: length < leastBreaks ? symbols.newline : `${length} line breaks`, isMark: true },
        length: length < leastBreaks ? 1 : length,
      }
    return length < leastBreaks
      ? { piece: { text: '\n', isMark: false }, length: 1 }
      : { piece: { text: `${length} line breaks`, isMark: true }, length }
  }
  const isIndent = layout === 'lines' && (at === 0 || text[at - 1] === '\n')
  const isTrailing = at + length === text.length || text[at + length] === '\n'
  const isMarked = isTrailing || length >= (isIndent ? mostIndent + 1 : leastRun[layout])
  const words = length === 1 ? '1 space' : `${length} spaces`
  return { piece: isMarked ? { text: words, isMark: true } : { text: run, isMark: false }, length }
}

const word = /[\p{L}\p{M}\p{N}_]+/gu
const latin = /[\p{Script=Latin}0-9]/u
const free =
  /^[\p{Script=Latin}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}\p{M}0-9_]$/u
/** Letters of other alphabets that most fonts draw like Latin ones. */
const twins = /^[аеіјорсхуѕһԁԛԝӏвнкмтАВЕІЈКМНОРЅТХУЗοαινρυκτΑΒΕΖΗΙΚΜΝΟΡΤΥΧօսոԱՕᎪᎳᏃᏴ]+$/u

/** Finds letters of another alphabet inside a Latin word, or words that look Latin. */
function findLookalikes(text: string): ReadonlySet<number> {
  const found = new Set<number>()
  // oxlint-disable-next-line no-control-regex -- most texts are ASCII and need no further check
  if (/^[\u0000-\u007F]*$/.test(text)) return found
  for (const { 0: letters, index } of text.matchAll(word)) {
    const isMixed = latin.test(letters)
    if (!isMixed && !twins.test(letters)) continue
    let at = index
    for (const char of letters) {
      if (!free.test(char) && (/^\p{L}$/u.test(char) || /^\p{N}$/u.test(char))) found.add(at)
      at += char.length
    }
  }
  return found
}

/** Joins adjacent pieces without marks. */
class Pieces {
  readonly list: MarkedPiece[] = []
  #plain = false

  add(piece: MarkedPiece): void {
    const last = this.list.at(-1)
    if (this.#plain && !piece.isMark && last)
      this.list[this.list.length - 1] = { text: last.text + piece.text, isMark: false }
    else this.list.push(piece)
    this.#plain = !piece.isMark
  }
}

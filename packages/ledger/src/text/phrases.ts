/** Words that must follow each other. */
export interface Phrase {
  readonly words: readonly string[]
  /** The last word may be the beginning of a longer one. */
  readonly prefix: boolean
}

// Scripts without spaces: every character is indexed as a word, so that any part of a text is found.
const unspaced = /[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u0e00-\u0e7f]/

/** Separates the characters of such scripts, as the index needs it. */
export function separateCharacters(text: string): string {
  return unspaced.test(text) ? text.replace(new RegExp(unspaced, 'g'), ' $& ') : text
}

/** Longer queries are pasted texts, and their beginning finds them. */
const maxPhrases = 40

/**
 * Parses a search query into phrases that must all match. Never fails: characters that are not words are ignored.
 *
 * @example parsePhrases('fix "null pointer" pars') // fix, null pointer, pars…
 */
export function parsePhrases(text: string): Phrase[] {
  const phrases: Phrase[] = []
  for (const match of text.matchAll(/"([^"]*)"?|([^\s"]+)/g)) {
    const words = splitWords(match[1] ?? match[2]!).slice(0, maxPhrases)
    if (phrases.length === maxPhrases) break
    if (words.length > 0) phrases.push({ words, prefix: match[1] === undefined })
  }
  return phrases.map(({ words, prefix }, index) => ({
    words,
    prefix: prefix && index === phrases.length - 1 && isLongEnough(words.at(-1)!),
  }))
}

/** Shorter prefixes would match nearly everything. One character of an Asian script says more than a letter. */
function isLongEnough(word: string): boolean {
  return word.length >= 3 || /[\u1100-\uffff]/.test(word)
}

function splitWords(text: string): string[] {
  return separateCharacters(text).match(/[\p{L}\p{N}\p{Co}\p{M}]+/gu) ?? []
}

export class Finder {
  readonly #text: string
  readonly #patterns: RegExp[]

  constructor(text: string, phrases: readonly Phrase[]) {
    this.#text = fold(text)
    this.#patterns = phrases.map(buildPattern)
  }

  /** The position of the first match. */
  first(): number | undefined {
    const found = this.#patterns.map((pattern) => this.#text.search(pattern)).filter((at) => at !== -1)
    return found.length === 0 ? undefined : Math.min(...found)
  }

  /** All matches between two positions, in order and without overlaps. */
  within(start: number, end: number): [start: number, end: number][] {
    const found: [number, number][] = []
    for (const pattern of this.#patterns) {
      pattern.lastIndex = start
      for (let match = pattern.exec(this.#text); match; match = pattern.exec(this.#text)) {
        if (pattern.lastIndex > end) break
        found.push([match.index, pattern.lastIndex])
      }
    }
    found.sort(([a], [b]) => a - b)
    return found.filter(([start], index) => index === 0 || start >= found[index - 1]![1])
  }
}

function buildPattern({ words, prefix }: Phrase): RegExp {
  const parts = words.map((word) => fold(word).replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
  const whole = parts.join(String.raw`[^\p{L}\p{N}\p{Co}]*`)
  const alone = words.length > 0 && unspaced.test(words[0]!)
  return new RegExp(
    `${alone ? '' : String.raw`(?<![\p{L}\p{N}\p{Co}])`}${whole}${
      prefix
        ? String.raw`[\p{L}\p{N}\p{Co}\p{M}]*`
        : unspaced.test(words.at(-1)!)
          ? ''
          : String.raw`(?![\p{L}\p{N}\p{Co}])`
    }`,
    'gu',
  )
}

/** Removes case and accents without changing the length. */
function fold(text: string): string {
  const lower = text.toLowerCase()
  // eslint-disable-next-line no-control-regex
  if (lower.length === text.length && /^[\0-\x7f]*$/.test(lower)) return lower
  let folded = ''
  for (let index = 0; index < text.length; index++) {
    const unit = text[index]!
    const plain = unit.charCodeAt(0) < 0x80 ? unit : unit.normalize('NFD')[0]!
    const small = plain.toLowerCase()
    folded += small.length === 1 ? small : plain
  }
  return folded
}

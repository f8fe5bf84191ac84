export interface Folded {
  /** The text shown while folded. */
  readonly text: string
  readonly lines: number
  readonly isFolded: boolean
}

/**
 * The first lines of a text that has many more. A very long line is cut too.
 *
 * @example fold('a\nb\nc\nd', { lines: 2 }) // { text: 'a\nb', lines: 4, isFolded: true }
 */
export function fold(
  text: string,
  { lines: most = 30, characters = 20_000 }: { readonly lines?: number; readonly characters?: number } = {},
): Folded {
  const lines = countLines(text)
  // Unfolding must be worth a tap.
  if (lines <= most * 1.3 && text.length <= characters) return { text, lines, isFolded: false }
  let end = lines <= most * 1.3 ? text.length : nthLineEnd(text, most)
  if (end > characters) end = characters
  return { text: text.slice(0, end), lines, isFolded: true }
}

/** The last lines of a text, such as command output. */
export function foldFront(text: string, { lines: most = 30, characters = 20_000 } = {}): Folded {
  const lines = countLines(text)
  if (lines <= most * 1.3 && text.length <= characters) return { text, lines, isFolded: false }
  let start = 0
  if (lines > most * 1.3) {
    start = text.length
    for (let count = 0; count < most && start > 0; count++) start = text.lastIndexOf('\n', start - 1)
    start += 1
  }
  return { text: text.slice(Math.max(start, text.length - characters)), lines, isFolded: true }
}

export function countLines(text: string): number {
  if (text === '') return 0
  let lines = text.endsWith('\n') ? 0 : 1
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines++
  return lines
}

function nthLineEnd(text: string, count: number): number {
  let at = -1
  for (let line = 0; line < count; line++) {
    at = text.indexOf('\n', at + 1)
    if (at === -1) return text.length
  }
  return at
}

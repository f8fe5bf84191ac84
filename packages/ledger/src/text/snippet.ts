import { masked, secretsIn } from '../mask.ts'
import { Finder, type Phrase } from './words.ts'

export interface Snippet {
  readonly snippet: string
  readonly matches: readonly (readonly [start: number, end: number])[]
}

const before = 60
const length = 220
/** Secrets that begin outside of the snippet must be known as well; a private key is the longest. */
const around = 4000

/** The words around the first match, with secrets hidden. */
export function snippetOf(text: string, phrases: readonly Phrase[]): Snippet {
  const finder = new Finder(text, phrases)
  const first = finder.first() ?? 0
  let start = Math.max(0, first - before)
  // Whole words look better.
  if (start > 0) start += Math.max(0, text.slice(start, first).search(/\s\S/) + 1)
  const end = Math.min(text.length, start + length)
  const matches = finder.within(start, end)
  const from = Math.max(0, start - around)
  const secrets = secretsIn(text.slice(from, end + around)).map(([a, b]) => [a + from, b + from] as const)

  let snippet = start > 0 ? '…' : ''
  let at = start
  const shown: [number, number][] = []
  const copy = (until: number): void => {
    for (const [a, b] of matches)
      if (a >= at && b <= until) shown.push([a - at + snippet.length, b - at + snippet.length])
    snippet += text.slice(at, until)
  }
  for (const [a, b] of secrets) {
    if (b <= start || a >= end) continue
    copy(Math.max(at, a))
    snippet += masked
    at = b
  }
  if (at < end) copy(end)
  if (Math.max(at, end) < text.length) snippet += '…'
  return { snippet: clean(snippet), matches: shown }
}

/** One line, and no half of a sign at its ends; every position stays where it is. */
function clean(text: string): string {
  return text.replace(/\s|\p{Cc}|\p{Cs}/gu, ' ')
}

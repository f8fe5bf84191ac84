import { masked, secretsIn } from '@remora/protocol/plain'
import { Finder, type Phrase } from './phrases.ts'

export interface Snippet {
  readonly snippet: string
  readonly matches: readonly (readonly [start: number, end: number])[]
}

const before = 60
const length = 220
/** Secrets that begin outside of the snippet must be known as well; a private key is the longest. */
const around = 4000

/** The words around the first match, with secrets hidden. */
export function createSnippet(text: string, phrases: readonly Phrase[]): Snippet {
  const finder = new Finder(text, phrases)
  const first = finder.first() ?? 0
  let start = Math.max(0, first - before)
  // Whole words look better.
  if (start > 0) start += Math.max(0, text.slice(start, first).search(/\s\S/) + 1)
  let end = Math.min(text.length, start + length)
  const from = Math.max(0, start - around)
  const until = Math.min(text.length, end + around)
  const secrets = secretsIn(text.slice(from, until)).map(([a, b]) => [a + from, b + from] as const)
  const matches = finder.within(start, until)

  let snippet = start > 0 ? '…' : ''
  let at = start
  const shown: [number, number][] = []
  const copy = (to: number): void => {
    for (const [a, b] of matches)
      if (a >= at && b <= to) shown.push([a - at + snippet.length, b - at + snippet.length])
    snippet += text.slice(at, to)
    at = to
  }
  for (const [a, b] of secrets) {
    if (b <= start || a >= end) continue
    copy(Math.max(at, a))
    snippet += masked
    at = b
    // A long one shall not take all the room.
    if (b >= end) end = Math.min(until, b + before)
  }
  copy(end)
  if (end < text.length) snippet += '…'
  return { snippet: clean(snippet), matches: shown }
}

/** One line, and no half of a sign at its ends; every position stays where it is. */
function clean(text: string): string {
  return text.replace(/\s|\p{Cc}|\p{Cs}/gu, ' ')
}

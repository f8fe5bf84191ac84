import { masked, secretsIn } from '@remora/protocol/plain'
import { Finder, type Phrase } from './phrases.ts'

export interface Snippet {
  readonly snippet: string
  readonly matches: readonly (readonly [start: number, end: number])[]
}

const leadLength = 60
const snippetLength = 220
/** Secrets that begin outside the snippet must be found as well; the longest is a private key. */
const maxSecretLength = 4000

/** The text around the first match, with secrets masked. */
export function createSnippet(text: string, phrases: readonly Phrase[]): Snippet {
  const finder = new Finder(text, phrases)
  const first = finder.first() ?? 0
  let start = Math.max(0, first - leadLength)
  // Starts at a whole word.
  if (start > 0) start += Math.max(0, text.slice(start, first).search(/\s\S/) + 1)
  let end = Math.min(text.length, start + snippetLength)
  const from = Math.max(0, start - maxSecretLength)
  const until = Math.min(text.length, end + maxSecretLength)
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
    // A long secret must not use up the whole snippet.
    if (b >= end) end = Math.min(until, b + leadLength)
  }
  copy(end)
  if (end < text.length) snippet += '…'
  return { snippet: clean(snippet), matches: shown }
}

/** Replaces line breaks, control characters and lone surrogates by spaces, so that positions stay valid. */
function clean(text: string): string {
  return text.replace(/\s|\p{Cc}|\p{Cs}/gu, ' ')
}

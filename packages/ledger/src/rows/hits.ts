import { masked, secretsIn } from '@remora/protocol/plain'
import type { SearchHit } from '../model/ledger.ts'
import type { Document } from '../text/document.ts'
import { Finder, type Phrase } from '../text/phrases.ts'

/** An event whose text matches all phrases. */
export interface Match {
  readonly seq: number
  readonly entity: string
  readonly at: number
  readonly agent: string
  readonly session: string
  readonly name: string | null
  readonly title: string | null
  readonly cwd: string | null
}

/**
 * Collects hits up to a limit. The same text of one session is one hit, at its earliest time: other channels repeat it,
 * and Gemini writes old messages again when a turn is interrupted.
 */
export class Hits {
  readonly found: SearchHit[] = []
  readonly #phrases: readonly Phrase[]
  readonly #limit: number
  /** The index of each text in `found`. */
  readonly #seen = new Map<string, number>()

  constructor(phrases: readonly Phrase[], limit: number) {
    this.#phrases = phrases
    this.#limit = limit
  }

  /** Returns true when the limit is reached. */
  add(match: Match, document: Document): boolean {
    const id = JSON.stringify([match.agent, match.session, document.kind, document.text])
    const known = this.#seen.get(id)
    if (known === undefined) {
      this.#seen.set(id, this.found.length)
      this.found.push(toHit(match, document, this.#phrases))
    } else if (match.at < this.found[known]!.at) {
      const { seq, entity, at } = match
      this.found[known] = { ...this.found[known]!, seq, entity, at }
    }
    return this.found.length >= this.#limit
  }
}

function toHit(match: Match, { kind, text }: Document, phrases: readonly Phrase[]): SearchHit {
  const title = match.name ?? match.title
  return {
    agent: match.agent,
    session: match.session,
    seq: match.seq,
    entity: match.entity,
    kind,
    at: match.at,
    ...createSnippet(text, phrases),
    ...(title === null ? {} : { title }),
    ...(match.cwd === null ? {} : { cwd: match.cwd }),
  }
}

interface Snippet {
  readonly snippet: string
  readonly matches: readonly (readonly [start: number, end: number])[]
}

const leadLength = 60
const snippetLength = 220
/** Secrets that begin outside the snippet must be found as well; the longest is a private key. */
const maxSecretLength = 4000

/** The text around the first match, with secrets masked. */
function createSnippet(text: string, phrases: readonly Phrase[]): Snippet {
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

import type { SearchHit } from '../model/ledger.ts'
import type { Document } from '../text/document.ts'
import { createSnippet } from '../text/snippet.ts'
import type { Phrase } from '../text/phrases.ts'

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

import { type Phrase, shortenToken, tokenize } from '@remora/ledger/internal'

/* Limits of PostgreSQL's vectors: positions up to 16,383, 255 positions per word, and one megabyte. */
const maxPosition = 16_000
const maxPositionsPerWord = 250
const maxBytes = 400_000

/** Words that two parts share, so that no phrase is cut. */
const overlap = 60

/** The text form of a text's vectors: one, several for a long text, or none. */
export function toVectors(text: string): string[] {
  const tokens = tokenize(text)
  const vectors: string[] = []
  for (let next = 0; next < tokens.length;) {
    const positions = new Map<string, number[]>()
    let bytes = 0
    let at = Math.max(0, next - overlap)
    for (let position = 1; at < tokens.length; at++, position++) {
      const token = shortenToken(tokens[at]!)
      const known = positions.get(token) ?? []
      if (position > maxPosition || known.length === maxPositionsPerWord || bytes > maxBytes) break
      if (known.length === 0) positions.set(token, known)
      known.push(position)
      bytes += known.length === 1 ? token.length * 3 + 8 : 2
    }
    vectors.push([...positions].map(([token, known]) => `'${token}':${known.join()}`).join(' '))
    next = at
  }
  return vectors
}

/**
 * A tsquery for each phrase; undefined if there are no words. Words have only letters and digits, so no input is a
 * syntax error.
 */
export function toTsQueries(phrases: readonly Phrase[]): string[] | undefined {
  const queries: string[] = []
  for (const { words, prefix } of phrases) {
    const tokens = words.flatMap(tokenize)
    if (tokens.length === 0) continue
    const last = tokens.length - 1
    const parts = tokens.map((token, index) => {
      const short = shortenToken(token)
      // A word that was shortened has no useful prefix.
      return `'${short}'${prefix && index === last && short === token ? ':*' : ''}`
    })
    queries.push(`(${parts.join(' <-> ')})`)
  }
  return queries.length === 0 ? undefined : queries
}

import { type Phrase, shortenToken, tokenize } from '@remora/ledger/engine'

/*
 * What PostgreSQL's vectors can hold: places up to 16,383, 255 places of one word, and a megabyte in all.
 */
const mostPlaces = 16_000
const mostOfOne = 250
const mostBytes = 400_000

/** So many words of a part stand at the beginning of the next one as well, so that no phrase is cut in two. */
const overlap = 60

/** The words of a text as vectors, in their text form: one, or several for a long text, or none. */
export function toVectors(text: string): string[] {
  const tokens = tokenize(text)
  const vectors: string[] = []
  for (let next = 0; next < tokens.length;) {
    const places = new Map<string, number[]>()
    let bytes = 0
    let at = Math.max(0, next - overlap)
    for (let place = 1; at < tokens.length; at++, place++) {
      const token = shortenToken(tokens[at]!)
      const known = places.get(token) ?? []
      if (place > mostPlaces || known.length === mostOfOne || bytes > mostBytes) break
      if (known.length === 0) places.set(token, known)
      known.push(place)
      bytes += known.length === 1 ? token.length * 3 + 8 : 2
    }
    vectors.push([...places].map(([token, known]) => `'${token}':${known.join()}`).join(' '))
    next = at
  }
  return vectors
}

/**
 * What to look for, one text for each phrase; undefined where none of them has a word. Words have letters and digits only,
 * so that no input is a mistake in PostgreSQL's language.
 */
export function toTsQueries(phrases: readonly Phrase[]): string[] | undefined {
  const queries: string[] = []
  for (const { words, prefix } of phrases) {
    const tokens = words.flatMap(tokenize)
    if (tokens.length === 0) continue
    const last = tokens.length - 1
    const parts = tokens.map((token, index) => {
      const short = shortenToken(token)
      // The beginning of a word that is too long for the index would fit all that begin like it.
      return `'${short}'${prefix && index === last && short === token ? ':*' : ''}`
    })
    queries.push(`(${parts.join(' <-> ')})`)
  }
  return queries.length === 0 ? undefined : queries
}

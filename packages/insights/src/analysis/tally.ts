/** Counts the occurrences of each word, the most frequent first. @example tally(['a', 'b', 'a']) // [['a', 2], ['b', 1]] */
export function tally(words: Iterable<string>): [word: string, count: number][] {
  const counts = new Map<string, number>()
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  return [...counts].sort(([one, often], [other, more]) => more - often || (one < other ? -1 : 1))
}

export interface Counted {
  readonly name: string
  readonly count: number
}

/** The most frequent words. @example top(['a', 'b', 'a'], 1) // [{ name: 'a', count: 2 }] */
export function top(words: Iterable<string>, limit: number): Counted[] {
  return tally(words)
    .slice(0, limit)
    .map(([name, count]) => ({ name, count }))
}

/** The local day of a time. @example formatDay(0, 60) // '1970-01-01' */
export function formatDay(at: number, utcOffset: number): string {
  return new Date(at + utcOffset * 60_000).toISOString().slice(0, 10)
}

/** A key that is unique across agents. */
export function getSessionKey({
  agent,
  session,
}: {
  readonly agent: string
  readonly session: string
}): string {
  return `${agent} ${session}`
}

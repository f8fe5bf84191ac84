export interface MarkedPart {
  readonly text: string
  readonly isMatch: boolean
  /** The start position. */
  readonly at: number
}

/** Splits a text at matches. Matches outside the text are ignored. */
export function splitMarked(
  text: string,
  matches: readonly (readonly [start: number, end: number])[],
): MarkedPart[] {
  const parts: MarkedPart[] = []
  let at = 0
  const add = (end: number, isMatch: boolean): void => {
    if (end > at) parts.push({ text: text.slice(at, end), isMatch, at })
    at = Math.max(at, end)
  }
  for (const [start, end] of matches.toSorted(([left], [right]) => left - right)) {
    if (!(start >= at && end > start && end <= text.length)) continue
    add(start, false)
    add(end, true)
  }
  add(text.length, false)
  return parts
}

/** The part of a line that differs from the line that it takes the place of. */
export interface Mark {
  readonly from: number
  readonly to: number
}

/**
 * For each line the part that changed, where a run of removed lines is followed by as many added ones that are much like them.
 *
 * @example marksOf(['-let a = 1', '+let a = 2']) // [{ from: 8, to: 9 }, { from: 8, to: 9 }], counted without the sign
 */
export function marksOf(lines: readonly string[]): readonly (Mark | undefined)[] {
  const marks: (Mark | undefined)[] = Array.from({ length: lines.length })
  let index = 0
  while (index < lines.length) {
    const removed = run(lines, index, '-')
    const added = run(lines, index + removed, '+')
    if (removed > 0 && removed === added)
      for (let pair = 0; pair < removed; pair++) {
        const found = differing(lines[index + pair]!.slice(1), lines[index + removed + pair]!.slice(1))
        if (found) [marks[index + pair], marks[index + removed + pair]] = found
      }
    index += Math.max(1, removed + added)
  }
  return marks
}

function run(lines: readonly string[], from: number, sign: string): number {
  let length = 0
  while (lines[from + length]?.[0] === sign) length++
  return length
}

function differing(before: string, after: string): [Mark, Mark] | undefined {
  const most = Math.min(before.length, after.length)
  if (most > 2_000) return undefined
  let head = 0
  while (head < most && before[head] === after[head]) head++
  let tail = 0
  while (tail < most - head && before.at(-1 - tail) === after.at(-1 - tail)) tail++
  // Lines that hardly share anything are different lines.
  if ((head + tail) * 3 < Math.max(before.length, after.length)) return undefined
  return [
    { from: head, to: before.length - tail },
    { from: head, to: after.length - tail },
  ]
}

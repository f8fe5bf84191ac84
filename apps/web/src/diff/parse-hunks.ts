/** A line of a diff, as it is shown. */
export interface DiffLine {
  readonly kind: 'context' | 'added' | 'removed'
  readonly text: string
  /** Its number before, and after. */
  readonly old?: number
  readonly new?: number
  /** From where to where it differs from the line that it stands for. */
  readonly part?: readonly [number, number]
}

export type DiffRow =
  | DiffLine
  /** Where a hunk begins, and in which function, if git has told. */
  | { readonly kind: 'hunk'; readonly text: string; readonly old: number; readonly new: number }
  /** The line before has no line break. */
  | { readonly kind: 'end' }

const head = /^@@+ -(\d+)(?:,\d+)?(?: -\d+(?:,\d+)?)* \+(\d+)(?:,\d+)? @@+ ?(.*)$/

/**
 * The rows of unified hunks. What is no hunk is shown as it is, since nobody knows what an agent calls a diff.
 *
 * @example parseHunks('@@ -1 +1 @@\n-one\n+two')
 */
export function parseHunks(hunks: string): DiffRow[] {
  const rows: DiffRow[] = []
  let [before, after] = [1, 1]
  const lines = hunks.split('\n')
  if (lines.at(-1) === '') lines.pop()
  for (const line of lines) {
    const found = head.exec(line)
    if (found) {
      ;[before, after] = [Number(found[1]), Number(found[2])]
      rows.push({ kind: 'hunk', text: found[3]!, old: before, new: after })
      continue
    }
    const text = line.slice(1)
    if (line.startsWith('+')) rows.push({ kind: 'added', text, new: after++ })
    else if (line.startsWith('-')) rows.push({ kind: 'removed', text, old: before++ })
    else if (line.startsWith('\\')) rows.push({ kind: 'end' })
    else
      rows.push({
        kind: 'context',
        // Some tools leave out the blank before an empty line.
        text: line.startsWith(' ') ? text : line,
        old: before++,
        new: after++,
      })
  }
  return withParts(rows)
}

/** Lines that stand for each other are as many on both sides. */
function withParts(rows: DiffRow[]): DiffRow[] {
  for (let start = 0; start < rows.length; start++) {
    if (rows[start]!.kind !== 'removed') continue
    const removed = count(rows, start, 'removed')
    const middle = start + removed
    const added = count(rows, middle, 'added')
    if (removed === added)
      for (let index = 0; index < removed; index++) {
        const left = rows[start + index] as DiffLine
        const right = rows[middle + index] as DiffLine
        const parts = changedPart(left.text, right.text)
        if (!parts) continue
        rows[start + index] = { ...left, part: parts[0] }
        rows[middle + index] = { ...right, part: parts[1] }
      }
    start = middle + added - 1
  }
  return rows
}

function count(rows: readonly DiffRow[], from: number, kind: DiffRow['kind']): number {
  let index = from
  while (rows[index]?.kind === kind) index++
  return index - from
}

type Part = readonly [number, number]

const longest = 2_000

/**
 * What differs between two lines that begin and end alike; undefined if they have too little in common to be the same
 * line, since then to mark nearly all of it says nothing.
 *
 * @example changedPart('let a = 1', 'let a = 2') // [[8, 9], [8, 9]]
 */
export function changedPart(left: string, right: string): readonly [Part, Part] | undefined {
  const shorter = Math.min(left.length, right.length)
  if (left === right || shorter === 0 || Math.max(left.length, right.length) > longest) return undefined
  let start = 0
  while (start < shorter && left[start] === right[start]) start++
  let end = 0
  while (end < shorter - start && left.at(-1 - end) === right.at(-1 - end)) end++
  // Not between the two halves of a sign.
  if (isHigh(left[start - 1])) start--
  if (isLow(left[left.length - end])) end--
  const same = left.slice(0, start).trim().length + left.slice(left.length - end).trim().length
  if (same < shorter / 4) return undefined
  return [
    [start, left.length - end],
    [start, right.length - end],
  ]
}

function isHigh(sign: string | undefined): boolean {
  return sign !== undefined && /[\uD800-\uDBFF]/.test(sign)
}

function isLow(sign: string | undefined): boolean {
  return sign !== undefined && /[\uDC00-\uDFFF]/.test(sign)
}

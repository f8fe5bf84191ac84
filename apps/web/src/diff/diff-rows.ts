import type { Hunk } from './hunks.ts'

/** A line of a diff, as it is shown. */
export interface DiffLine {
  readonly kind: 'context' | 'added' | 'removed'
  readonly text: string
  /** Line numbers before and after the change, where they are known. */
  readonly old?: number | undefined
  readonly new?: number | undefined
  /** Start and end of the text that differs from the line it replaces. */
  readonly part?: Part
}

export type DiffRow =
  | DiffLine
  /** The start of a hunk. `text` is the enclosing function, as Git prints it. */
  | { readonly kind: 'hunk'; readonly text: string; readonly old: number; readonly new: number }
  /** The line before this row has no line break. */
  | { readonly kind: 'end' }
  /** Lines between two hunks without line numbers. */
  | { readonly kind: 'gap' }

type Part = readonly [number, number]

const hunkHead = /^@@+ -(\d+)(?:,\d+)?(?: -\d+(?:,\d+)?)* \+(\d+)(?:,\d+)? @@+ ?(.*)$/

/**
 * Parses unified hunks. Text that is no hunk becomes context lines, because agents call many formats a diff.
 *
 * @example parseHunks('@@ -1 +1 @@\n-one\n+two')
 */
export function parseHunks(hunks: string): DiffRow[] {
  const rows: DiffRow[] = []
  let [before, after] = [1, 1]
  const lines = hunks.split('\n')
  if (lines.at(-1) === '') lines.pop()
  for (const line of lines) {
    const head = hunkHead.exec(line)
    if (head) {
      ;[before, after] = [Number(head[1]), Number(head[2])]
      rows.push({ kind: 'hunk', text: head[3]!, old: before, new: after })
      continue
    }
    const text = line.slice(1)
    if (line.startsWith('+')) rows.push({ kind: 'added', text, new: after++ })
    else if (line.startsWith('-')) rows.push({ kind: 'removed', text, old: before++ })
    else if (line.startsWith('\\')) rows.push({ kind: 'end' })
    else
      rows.push({
        kind: 'context',
        // Some tools omit the space before an empty line.
        text: line.startsWith(' ') ? text : line,
        old: before++,
        new: after++,
      })
  }
  return markChangedParts(rows)
}

/** The rows of parsed hunks, with a gap between two hunks. */
export function toDiffRows(hunks: readonly Hunk[]): DiffRow[] {
  const rows = hunks.flatMap(({ oldStart, newStart, lines }, index): DiffRow[] => {
    let [before, after] = [oldStart, newStart]
    const next = lines.map((line): DiffRow => {
      const text = line.slice(1)
      const old = line[0] === '+' || before === undefined ? undefined : before++
      const now = line[0] === '-' || after === undefined ? undefined : after++
      if (line[0] === '+') return { kind: 'added', text, new: now }
      return line[0] === '-' ? { kind: 'removed', text, old } : { kind: 'context', text, old, new: now }
    })
    return index === 0 ? next : [{ kind: 'gap' }, ...next]
  })
  return markChangedParts(rows)
}

/** A run of removed lines is compared with the added lines after it only if both have the same length. */
function markChangedParts(rows: DiffRow[]): DiffRow[] {
  for (let start = 0; start < rows.length; start++) {
    if (rows[start]!.kind !== 'removed') continue
    const removed = countRun(rows, start, 'removed')
    const middle = start + removed
    const added = countRun(rows, middle, 'added')
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

function countRun(rows: readonly DiffRow[], from: number, kind: DiffRow['kind']): number {
  let index = from
  while (rows[index]?.kind === kind) index++
  return index - from
}

const longestCompared = 2_000

/**
 * The range that differs in two similar lines. Undefined if they share too little: a mark over nearly the whole line
 * would say nothing.
 *
 * @example changedPart('let a = 1', 'let a = 2') // [[8, 9], [8, 9]]
 */
export function changedPart(left: string, right: string): readonly [Part, Part] | undefined {
  const shorter = Math.min(left.length, right.length)
  if (left === right || shorter === 0 || Math.max(left.length, right.length) > longestCompared)
    return undefined
  let start = 0
  while (start < shorter && left[start] === right[start]) start++
  let end = 0
  while (end < shorter - start && left.at(-1 - end) === right.at(-1 - end)) end++
  // A range must not split a surrogate pair.
  if (/[\uD800-\uDBFF]/.test(left[start - 1] ?? '')) start--
  if (/[\uDC00-\uDFFF]/.test(left[left.length - end] ?? '')) end--
  const same = left.slice(0, start).trim().length + left.slice(left.length - end).trim().length
  if (same < shorter / 4) return undefined
  return [
    [start, left.length - end],
    [start, right.length - end],
  ]
}

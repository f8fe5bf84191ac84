import type { ListItem } from '../../dialects/screen-list.ts'

/** A list that a dialog lets choose from, and where it stands. */
export interface CodexList {
  readonly items: readonly (ListItem & { readonly number: number; readonly description?: string })[]
  /** The row of its first item. */
  readonly from: number
  /** Whether there is more of it than is shown. */
  readonly more: boolean
}

interface Row {
  readonly number: number
  readonly marked: boolean
  readonly text: string
}

/**
 * The list whose last row stands right above `end`. It is read from below and ends at its first number, so that numbers
 * in what the dialog shows are no part of it; and one of its items has to be marked.
 *
 * @example listAbove(['  Go on?', '', '› 1. Yes', '  2. No', '', '  enter select · esc back'], 5)
 */
export function listAbove(lines: readonly string[], end: number): CodexList | undefined {
  const items: CodexList['items'][number][] = []
  let notes: string[] = []
  let more = false
  let from = -1
  for (let row = end - 1; row >= 0; row--) {
    const line = lines[row] ?? ''
    const found = itemOf(line)
    if (found && (items.length === 0 || found.number === items[0]!.number - 1)) {
      items.unshift(described(found, notes))
      notes = []
      from = row
      if (found.number === 1) break
    } else if (/^\s*[↑↓]$/.test(line)) {
      more = true
    } else if (line.trim() === '') {
      if (items.length > 0 || notes.length > 0) break
    } else {
      notes.unshift(line.trim())
    }
  }
  return items.some(({ marked }) => marked) ? { items, from, more } : undefined
}

const item = /^ {0,60}(› | {2})(\d{1,2})\. (\S.*)$/

function itemOf(line: string): Row | undefined {
  const [, marker, number, text] = item.exec(line) ?? []
  return text === undefined ? undefined : { number: Number(number), marked: marker === '› ', text }
}

/** A description stands in a column of its own; where there is none, the rows below are the rest of the label. */
function described({ number, marked, text }: Row, below: readonly string[]): CodexList['items'][number] {
  const [label = text, ...rest] = text.split(/ {2,}/)
  if (rest.length === 0) return { number, marked, label: [label, ...below].join(' '), notes: [] }
  return { number, marked, label, notes: [], description: [...rest, ...below].join(' ') }
}

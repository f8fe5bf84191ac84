import type { ListItem } from '../../dialects/screen-list.ts'

/** The options of a dialog. */
export interface CodexList {
  readonly items: readonly (ListItem & { readonly number: number; readonly description?: string })[]
  /** The row of its first item. */
  readonly from: number
  /** Whether some items are out of sight. */
  readonly more: boolean
}

interface Row {
  readonly number: number
  readonly marked: boolean
  readonly text: string
}

/**
 * Reads the list whose last row is right above `end`. It is read from below up to number 1, so that numbered lines in the
 * dialog's text are not part of it. One item must be marked.
 *
 * @example findListAbove(['  Go on?', '', '› 1. Yes', '  2. No', '', '  enter select · esc back'], 5)
 */
export function findListAbove(lines: readonly string[], end: number): CodexList | undefined {
  const items: CodexList['items'][number][] = []
  let notes: string[] = []
  let more = false
  let from = -1
  for (let row = end - 1; row >= 0; row--) {
    const line = lines[row] ?? ''
    const found = parseRow(line)
    if (found && (items.length === 0 || found.number === items[0]!.number - 1)) {
      items.unshift(toItem(found, notes))
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

function parseRow(line: string): Row | undefined {
  const [, marker, number, text] = item.exec(line) ?? []
  return text === undefined ? undefined : { number: Number(number), marked: marker === '› ', text }
}

/** Descriptions have a column of their own. Without one, the rows below continue the label. */
function toItem({ number, marked, text }: Row, below: readonly string[]): CodexList['items'][number] {
  const [label = text, ...rest] = text.split(/ {2,}/)
  if (rest.length === 0) return { number, marked, label: [label, ...below].join(' '), notes: [] }
  return { number, marked, label, notes: [], description: [...rest, ...below].join(' ') }
}

import type { AskOption } from '@remora/protocol/plain'
import type { ScreenOption } from '../contract/agent.ts'

/** One option in the list of a dialog. */
export interface ListItem {
  /** The number before it; undefined if the CLI does not number it. */
  readonly number?: number
  readonly label: string
  /** Whether it is ticked, in multiple-choice lists. */
  readonly ticked?: boolean
  /** The lines below it that belong to it: the rest of a long label, or a description. */
  readonly notes: readonly string[]
  /** Whether Enter would choose it. */
  readonly marked: boolean
}

export interface FoundList {
  readonly items: readonly ListItem[]
  /** The row of its first line. */
  readonly from: number
  /** The rows below the list. */
  readonly below: readonly string[]
}

interface Building {
  number?: number
  label: string
  ticked?: boolean
  notes: string[]
  marked: boolean
}

const patterns = {
  '●': {
    item: /^\s*(?:(●)\s*)?(\d{1,2})\.\s+(?:\[(.)\]\s)?\s*(\S.*)$/,
    unnumbered: /^\s*(?:(●)\s+)?(Done)$/,
  },
  '❯': { item: /^\s*(?:(❯)\s*)?(\d{1,2})\.\s+(?:\[(.)\]\s)?\s*(\S.*)$/, unnumbered: undefined },
} as const

/** The character before the item that Enter would choose. */
export type Marker = keyof typeof patterns

/**
 * Finds the list at the end of a dialog. It is read upwards until number 1, so that a list in the dialog's content is
 * not part of it. One item has to be marked, unlike in lists of a text.
 *
 * @example lastList(['Go on?', '● 1. Yes', '  2. No', '', 'Esc to cancel'], '●')?.items.length // 2
 */
export function lastList(lines: readonly string[], marker: Marker): FoundList | undefined {
  const items: Building[] = []
  let notes: string[] = []
  let below: readonly string[] = []
  let row = lines.length - 1
  for (; row >= 0; row--) {
    const line = lines[row] ?? ''
    const found = parseItem(line, marker)
    const last = items.at(-1)
    if (found && last?.number !== undefined && found.number !== last.number - 1) break
    if (found) {
      if (!last) below = notes.toReversed()
      items.push({ ...found, notes: last ? notes.toReversed() : [] })
      if (!last) items[0] = { ...found, notes: [] }
      notes = []
      if (found.number === 1) break
    } else if (last && (line.trim() === '' || /^\s*▲/.test(line))) {
      break
    } else if (!/^[─\s]*$/.test(line) || !last) {
      notes.push(line)
    }
  }
  const first = items.at(-1)
  if (!first || !items.some(({ marked }) => marked)) return undefined
  // The description of the last item precedes the rows below the list.
  const own = below.findIndex((line) => line.trim() === '' || /^[─\s]*$/.test(line) || /^\s*▼/.test(line))
  const last = items[0]
  if (last && own > 0) {
    last.notes = below.slice(0, own).map((line) => line.trim())
    below = below.slice(own)
  }
  return {
    items: items.toReversed().map((each) => ({ ...each, notes: each.notes.map((line) => line.trim()) })),
    from: findFirstRow(lines, row, marker),
    below,
  }
}

/**
 * Finds the list at the end of a dialog whose options have no numbers: indented rows in one column, one of them marked.
 * A prompt in a conversation has the same mark, but no indent.
 *
 * @example lastUnnumberedList([' ❯ No, exit', '   Yes', '', ' Enter to confirm'], '❯')?.items.length // 2
 */
export function lastUnnumberedList(lines: readonly string[], marker: Marker): FoundList | undefined {
  const row = lines.findLastIndex((line) => line.trimStart().startsWith(`${marker} `))
  const [, before = '', label = ''] = new RegExp(`^( +${marker} +)(\\S.*)$`).exec(lines[row] ?? '') ?? []
  if (label === '' || /^\d{1,2}\. /.test(label)) return undefined
  const column = before.length
  // The indent of an option's row; the rest of a long option is indented more.
  const indent = (line: string | undefined) => line?.search(/\S/) ?? -1
  let from = row
  while (indent(lines[from - 1]) >= column) from--
  let end = row + 1
  while (indent(lines[end]) >= column) end++
  const items: Building[] = []
  for (const [index, line] of lines.slice(from, end).entries()) {
    const marked = from + index === row
    if (marked || indent(line) === column) items.push({ label: line.slice(column).trim(), notes: [], marked })
    else if (items.length === 0) return undefined
    else items.at(-1)!.notes.push(line.trim())
  }
  return items.length > 1 ? { items, from, below: lines.slice(end) } : undefined
}

/** The loop may have stopped one line above the list. */
function findFirstRow(lines: readonly string[], row: number, marker: Marker): number {
  const at = Math.max(row, 0)
  return parseItem(lines[at] ?? '', marker)?.number === 1 ? at : at + 1
}

function parseItem(line: string, marker: Marker): Omit<Building, 'notes'> | undefined {
  const { item, unnumbered } = patterns[marker]
  const numbered = item.exec(line)
  if (numbered) {
    const [, prefix, number, tick, label = ''] = numbered
    return {
      number: Number(number),
      label: label.trim(),
      marked: prefix !== undefined,
      ...(tick === undefined ? {} : { ticked: tick !== ' ' }),
    }
  }
  const other = unnumbered?.exec(line)
  return other ? { label: other[2] ?? '', marked: other[1] !== undefined } : undefined
}

/** The meaning of a label; the first match wins. */
export type Meaning = readonly [
  pattern: RegExp,
  meaning: { readonly id: string; readonly effect: AskOption['effect'] },
]

/**
 * Converts items to options with the keys that choose them: the number, or arrows if digits would be typed as text.
 *
 * @example toOptions(list.items, [[/^Yes/, { id: 'allow', effect: 'allow' }]])
 */
export function toOptions(
  items: readonly ListItem[],
  meanings: readonly Meaning[],
  { arrows = false, wrapped = false } = {},
): ScreenOption[] {
  const marked = items.findIndex((each) => each.marked)
  const taken = new Set<string>()
  return items.map((each, index) => {
    const { number, ticked, notes } = each
    const label = (wrapped ? [each.label, ...notes].join(' ') : each.label).replaceAll(/\s+/g, ' ')
    const meaning = meanings.find(([pattern]) => pattern.test(label))?.[1]
    const id = meaning && !taken.has(meaning.id) ? meaning.id : `option-${number ?? index + 1}`
    taken.add(id)
    const digit = number !== undefined && number < 10 && !arrows
    return {
      id,
      label: ticked === undefined ? label : `${ticked ? '[x]' : '[ ]'} ${label}`,
      effect: meaning?.effect ?? 'other',
      keys: digit ? [String(number)] : [...steps(marked, index), 'Enter'],
    }
  })
}

/** The arrow keys from one item to another. */
export function steps(from: number, to: number): string[] {
  return Array.from({ length: Math.abs(to - from) }, () => (to > from ? 'Down' : 'Up'))
}

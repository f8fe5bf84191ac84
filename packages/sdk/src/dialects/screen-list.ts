import type { AskOption } from '@remora/protocol/plain'
import type { ScreenOption } from '../contract/agent.ts'

/** One line of a list that a dialog lets choose from. */
export interface ListItem {
  /** What stands before it; absent where the CLI numbers only some. */
  readonly number?: number
  readonly label: string
  /** Whether it is ticked, in lists of which several can be chosen. */
  readonly ticked?: boolean
  /** Lines below it that belong to it: the rest of a long label, or a description. */
  readonly notes: readonly string[]
  /** Whether Enter would choose it. */
  readonly marked: boolean
}

export interface FoundList {
  readonly items: readonly ListItem[]
  /** Where its first line stands. */
  readonly from: number
  /** What stands below it. */
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

/** What stands before the item that Enter would choose. */
export type Marker = keyof typeof patterns

/**
 * The list at the end of a dialog. It is read from below and ends at its first number, so that a list in what the dialog
 * shows is no part of it; and one item has to be marked, which no list in a text is.
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
    const found = parsed(line, marker)
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
  // The description of the last item stands before what follows the list.
  const own = below.findIndex((line) => line.trim() === '' || /^[─\s]*$/.test(line) || /^\s*▼/.test(line))
  const last = items[0]
  if (last && own > 0) {
    last.notes = below.slice(0, own).map((line) => line.trim())
    below = below.slice(own)
  }
  return {
    items: items.toReversed().map((each) => ({ ...each, notes: each.notes.map((line) => line.trim()) })),
    from: firstRow(lines, row, marker),
    below,
  }
}

/**
 * The list at the end of a dialog whose options have no numbers: indented rows in one column, one of them marked. A prompt
 * in a conversation has the same mark, but no indent.
 *
 * @example lastUnnumberedList([' ❯ No, exit', '   Yes', '', ' Enter to confirm'], '❯')?.items.length // 2
 */
export function lastUnnumberedList(lines: readonly string[], marker: Marker): FoundList | undefined {
  const row = lines.findLastIndex((line) => line.trimStart().startsWith(`${marker} `))
  const [, before = '', label = ''] = new RegExp(`^( +${marker} +)(\\S.*)$`).exec(lines[row] ?? '') ?? []
  if (label === '' || /^\d{1,2}\. /.test(label)) return undefined
  const column = before.length
  // Spaces before a row's text: as many as before an option, or more for the rest of a long one.
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

/** Where the loop went one line too far, the list begins below. */
function firstRow(lines: readonly string[], row: number, marker: Marker): number {
  const at = Math.max(row, 0)
  return parsed(lines[at] ?? '', marker)?.number === 1 ? at : at + 1
}

function parsed(line: string, marker: Marker): Omit<Building, 'notes'> | undefined {
  const { item, unnumbered } = patterns[marker]
  const numbered = item.exec(line)
  if (numbered) {
    const [, sign, number, tick, label = ''] = numbered
    return {
      number: Number(number),
      label: label.trim(),
      marked: sign !== undefined,
      ...(tick === undefined ? {} : { ticked: tick !== ' ' }),
    }
  }
  const other = unnumbered?.exec(line)
  return other ? { label: other[2] ?? '', marked: other[1] !== undefined } : undefined
}

/** What a label means; the first that fits counts. */
export type Meaning = readonly [
  pattern: RegExp,
  meaning: { readonly id: string; readonly effect: AskOption['effect'] },
]

/**
 * Options with the keys that choose them: the number, or arrows where digits would be taken for words.
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

/** The arrows from one item to another. */
export function steps(from: number, to: number): string[] {
  return Array.from({ length: Math.abs(to - from) }, () => (to > from ? 'Down' : 'Up'))
}

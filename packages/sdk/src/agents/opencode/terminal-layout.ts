import type { Screen } from '../../contract/agent.ts'

/** One piece of the conversation: rows behind a bar, or rows without one. */
export interface Piece {
  readonly barred: boolean
  readonly lines: readonly string[]
  /** The row of its first line. */
  readonly from: number
}

/** The box in which one writes, and the row of hints below. */
export interface Box {
  readonly from: number
  readonly input: string
  /** @example 'Build' */
  readonly agent: string
  /** The model and its provider, which the screen does not part. */
  readonly model: string
  readonly hints: string
}

/** A question in place of the box: the rows behind its bar, and where they stand. */
export interface Dialog {
  readonly lines: readonly string[]
  /** The row of the first. */
  readonly from: number
  readonly columns: number
  readonly cursor: Screen['cursor']
}

/** Beside a wide conversation stands a column with facts about it. */
const asideWidth = 42
const asideFrom = 121

/** The rows of the conversation alone. @example conversationOf(screen).length // 40 */
export function conversationOf({ lines, columns }: Screen): readonly string[] {
  const left = columns - asideWidth
  const isWide = columns >= asideFrom && lines.some((line) => / {4}• OpenCode \d[\d.]*$/.test(line))
  return isWide ? lines.map((line) => line.slice(0, left).trimEnd()) : lines
}

/** The box at the bottom, or in the middle of an empty screen. @example boxOn(lines)?.agent // 'Plan' */
export function boxOn(lines: readonly string[]): Box | undefined {
  const end = lines.findLastIndex((line) => /^\s*╹▀{8,}/.test(line))
  const bar = lines[end]?.indexOf('╹') ?? -1
  const [, agent, model] = /^(\S[^·]*?)(?: · (\S.*))?$/.exec(behindBar(lines[end - 1], bar) ?? '') ?? []
  if (end === -1 || agent === undefined) return undefined
  let from = end - 1
  while (behindBar(lines[from - 1], bar) !== undefined) from--
  const words = lines.slice(from, end - 1).map((line) => line.slice(bar + 3).trimEnd())
  const input = words.join('\n').trim()
  return {
    from,
    input: /^(?:Ask anything|Run a command)… "/.test(input) ? '' : input,
    agent,
    model: model?.replace(/ · .*$/, '') ?? '',
    hints: lines
      .slice(end + 1)
      .map((line) => line.trim())
      .join(' '),
  }
}

/** What stands behind the bar; undefined where there is no bar. */
function behindBar(line: string | undefined, bar: number): string | undefined {
  if (line?.[bar] !== '┃' || line.slice(0, bar).trim() !== '') return undefined
  // A list of proposals above the box has a bar at its end as well.
  return line.endsWith('┃') && line.length > bar + 1 ? undefined : line.slice(bar + 1).trim()
}

/** The pieces of a conversation, parted by empty rows and by where bars begin and end. */
export function piecesOf(lines: readonly string[]): Piece[] {
  const pieces: { barred: boolean; lines: string[]; from: number }[] = []
  let open: (typeof pieces)[number] | undefined
  for (const [row, line] of lines.entries()) {
    const [, words] = /^ {2}┃(.*)$/.exec(line) ?? []
    const barred = words !== undefined
    if (line.trim() === '') {
      open = undefined
    } else if (open && open.barred === barred) {
      open.lines.push(words?.trimEnd() ?? line)
    } else {
      open = { barred, lines: [words?.trimEnd() ?? line], from: row }
      pieces.push(open)
    }
  }
  return pieces
}

/** The mouse on a text, which is exact where the keys depend on a mark that only its colour shows. */
export function clickOn({ lines, from }: Dialog, row: number, text: string): string[] {
  const column = lines[row]?.indexOf(text) ?? -1
  // Behind the bar, which stands in the third column; both are counted from 1.
  return column === -1 ? [] : [`Click:${column + 3 + 2},${from + row + 1}`]
}

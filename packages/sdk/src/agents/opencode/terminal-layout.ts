import type { Screen } from '../../contract/agent.ts'

/** One block of the conversation: rows behind a bar, or rows without one. */
export interface Piece {
  readonly barred: boolean
  readonly lines: readonly string[]
  /** The row of its first line. */
  readonly from: number
}

/** The input box, and the row of hints below. */
export interface Box {
  readonly from: number
  readonly input: string
  /** @example 'Build' */
  readonly agent: string
  /** The model and its provider, which the screen does not separate. */
  readonly model: string
  readonly hints: string
}

/** A dialog in place of the input box: the rows behind its bar, and their position. */
export interface Dialog {
  readonly lines: readonly string[]
  /** The row of the first line. */
  readonly from: number
  readonly columns: number
  readonly cursor: Screen['cursor']
}

/** A wide screen has a sidebar beside the conversation. */
const asideWidth = 42
const asideFrom = 121

/** The rows of the conversation without the sidebar. @example cropConversation(screen).length // 40 */
export function cropConversation({ lines, columns }: Screen): readonly string[] {
  const left = columns - asideWidth
  const isWide = columns >= asideFrom && lines.some((line) => / {4}• OpenCode \d[\d.]*$/.test(line))
  return isWide ? lines.map((line) => line.slice(0, left).trimEnd()) : lines
}

/** Finds the input box at the bottom, or in the middle of an empty screen. @example boxOn(lines)?.agent // 'Plan' */
export function boxOn(lines: readonly string[]): Box | undefined {
  const end = lines.findLastIndex((line) => /^\s*╹▀{8,}/.test(line))
  const bar = lines[end]?.indexOf('╹') ?? -1
  const [, agent, model] = /^(\S[^·]*?)(?: · (\S.*))?$/.exec(behindBar(lines[end - 1], bar) ?? '') ?? []
  if (end === -1 || agent === undefined) return undefined
  let from = end - 1
  while (behindBar(lines[from - 1], bar) !== undefined) from--
  const content = lines.slice(from, end - 1).map((line) => line.slice(bar + 3).trimEnd())
  const input = content.join('\n').trim()
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

/** The text behind the bar; undefined without a bar. */
function behindBar(line: string | undefined, bar: number): string | undefined {
  if (line?.[bar] !== '┃' || line.slice(0, bar).trim() !== '') return undefined
  // A completion list above the box has a bar at its end as well.
  return line.endsWith('┃') && line.length > bar + 1 ? undefined : line.slice(bar + 1).trim()
}

/** Splits a conversation at empty rows and where bars begin and end. */
export function splitPieces(lines: readonly string[]): Piece[] {
  const pieces: { barred: boolean; lines: string[]; from: number }[] = []
  let open: (typeof pieces)[number] | undefined
  for (const [row, line] of lines.entries()) {
    const [, content] = /^ {2}┃(.*)$/.exec(line) ?? []
    const barred = content !== undefined
    if (line.trim() === '') {
      open = undefined
    } else if (open && open.barred === barred) {
      open.lines.push(content?.trimEnd() ?? line)
    } else {
      open = { barred, lines: [content?.trimEnd() ?? line], from: row }
      pieces.push(open)
    }
  }
  return pieces
}

/** A mouse click on a text. Keys depend on a selection that only its colour shows. */
export function clickOn({ lines, from }: Dialog, row: number, text: string): string[] {
  const column = lines[row]?.indexOf(text) ?? -1
  // The text is behind the bar in the third column; both positions count from 1.
  return column === -1 ? [] : [`Click:${column + 3 + 2},${from + row + 1}`]
}

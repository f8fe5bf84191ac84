import type { Colors } from './colors.ts'
import { cutStart, cutTo, padTo, textWidth } from './text-width.ts'

export interface Column {
  readonly title: string
  readonly align?: 'left' | 'right'
  /** It may be cut to this many places where the terminal is narrow; without it, it is never cut. */
  readonly least?: number
  /** How much sooner than others it is cut; 1 by default. */
  readonly gives?: number
  /** What is cut away: the end, or the start, as of a path. */
  readonly cut?: 'end' | 'start'
  /** Left out of terminals that are narrower than this. */
  readonly from?: number
}

export interface Row {
  readonly cells: readonly string[]
  readonly paint?: ((line: string) => string) | undefined
}

const gap = '  '

/**
 * Lines of a table that fit a width, the head first. Cells are plain text; colours are for whole rows.
 *
 * @example table([{ title: 'ID' }, { title: 'TITLE', least: 20 }], rows, 80, paint)
 */
export function table(
  columns: readonly Column[],
  rows: readonly Row[],
  width: number,
  paint: Colors,
): string[] {
  const shown = columns.flatMap((column, index) => ((column.from ?? 0) > width ? [] : [{ column, index }]))
  const widths = shown.map(({ column, index }) =>
    rows.reduce((most, { cells }) => Math.max(most, textWidth(cells[index] ?? '')), textWidth(column.title)),
  )
  shrink(
    widths,
    shown.map(({ column }) => column),
    width - gap.length * (shown.length - 1),
  )
  const line = (cells: readonly string[]): string =>
    shown
      .map(({ column, index }, place) => {
        const cell = (column.cut === 'start' ? cutStart : cutTo)(cells[index] ?? '', widths[place]!)
        return padTo(cell, widths[place]!, column.align)
      })
      .join(gap)
      .trimEnd()
  const head = paint.dim(line(columns.map(({ title }) => title)))
  return [head, ...rows.map(({ cells, paint: dye = String }) => dye(line(cells)))]
}

/** Takes from what can be cut, the widest first, until all fits. */
function shrink(widths: number[], columns: readonly Column[], width: number): void {
  let excess = widths.reduce((sum, each) => sum + each, 0) - width
  while (excess > 0) {
    let [widest, most] = [-1, 0]
    for (const [index, { least, gives = 1 }] of columns.entries()) {
      const weight = widths[index]! * gives
      if (least !== undefined && widths[index]! > least && weight > most) [widest, most] = [index, weight]
    }
    if (widest < 0) return
    widths[widest]!--
    excess--
  }
}

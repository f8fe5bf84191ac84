import type { Colors } from './colors.ts'
import { cutStart, cutTo, padTo, textWidth } from './text-width.ts'

export interface Column {
  readonly title: string
  readonly align?: 'left' | 'right'
  /** Minimum width in a narrow terminal. Without it, the column is never cut. */
  readonly least?: number
  /** Weight when columns are cut (default: 1). */
  readonly gives?: number
  /** Which end is cut: the start suits paths. */
  readonly cut?: 'end' | 'start'
  /** Hidden in terminals narrower than this. */
  readonly from?: number
}

export interface Row {
  readonly cells: readonly string[]
  readonly paint?: ((line: string) => string) | undefined
}

const gap = '  '

/**
 * Formats a table to a width, header first. Cells are plain text; colours apply to whole rows.
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

/** Shrinks the widest columns that can be cut until the table fits. */
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

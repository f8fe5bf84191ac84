import { textWidth } from '../../output/text-width.ts'

// oxlint-disable-next-line no-control-regex -- colours are what this is about
const token = /\u001B\[[\d;]*m|[\s\S]/gu
const ends = new Set(['0', '22', '39', '49', ''])

/**
 * What stands on the last row of a terminal after a text was written from the start of a row, so that it can be written
 * again. Empty if the next sign would begin a row.
 *
 * @example tailRow('one\ntwo', 80) // 'two'
 */
export function tailRow(text: string, columns: number): string {
  let row = ''
  let width = 0
  let colour = ''
  for (const [sign] of text.slice(text.lastIndexOf('\n') + 1).matchAll(token)) {
    if (sign.startsWith('\u001B[')) {
      colour = ends.has(sign.slice(2, -1)) ? '' : colour + sign
      row += sign
      continue
    }
    const places = textWidth(sign)
    if (width + places > columns) [row, width] = [colour, 0]
    row += sign
    width += places
  }
  return width === 0 || width === columns ? '' : row
}

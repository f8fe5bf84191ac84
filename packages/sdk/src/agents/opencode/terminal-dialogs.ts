import type { Screen, ScreenAsk, ScreenOption } from '../../contract/agent.ts'
import { type Dialog, boxOn, conversationOf } from './terminal-layout.ts'
import { permissionOf } from './terminal-permissions.ts'
import { questionOf } from './terminal-questions.ts'

/**
 * What the screen asks, if it asks something. A question takes the place of the box in which one writes, or stands in a
 * window over everything.
 *
 * @example askOn(screen)?.title // 'Shell command'
 */
export function askOn(screen: Screen): ScreenAsk | undefined {
  const lines = conversationOf(screen)
  const window = windowOn(screen)
  if (window) return window
  const end = lines.findLastIndex((line) => line.trim() !== '')
  if (boxOn(lines) || !lines[end]?.startsWith('  ┃')) return undefined
  let from = end
  while (lines[from - 1]?.startsWith('  ┃')) from--
  const rows = lines.slice(from, end + 1).map((line) => line.slice(3))
  const dialog: Dialog = { lines: rows, from, columns: screen.columns, cursor: screen.cursor }
  return permissionOf(dialog) ?? questionOf(dialog)
}

const close: ScreenOption = { id: 'close', label: 'Close', effect: 'other', keys: ['Escape'] }
const widths = [60, 88, 116]

/**
 * A window in the middle, with its title at the left and the key that closes it at the right. Where it ends, only its
 * colour shows, so that nothing more can be told of it.
 */
function windowOn({ lines, columns }: Screen): ScreenAsk | undefined {
  for (const width of widths) {
    const left = Math.floor((columns - Math.min(width, columns - 2)) / 2)
    const right = left + Math.min(width, columns - 2)
    const inner = lines.map((line) => line.slice(left, right).trimEnd())
    const top = inner.findIndex((line) => /^ {4}\S.* {3,}esc$/.test(line) && line.length === right - left - 4)
    // A row of its own above and below is empty.
    if (top < 1 || inner[top - 1] !== '' || inner[top + 1] !== '') continue
    return {
      kind: 'dialog',
      title: inner[top]!.replace(/ {3,}esc$/, '').trim(),
      options: [close],
    }
  }
  return undefined
}

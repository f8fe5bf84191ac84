import type { Screen, ScreenAsk, ScreenOption } from '../../contract/agent.ts'
import { type Dialog, boxOn, cropConversation } from './terminal-layout.ts'
import { readPermission } from './terminal-permissions.ts'
import { readQuestion } from './terminal-questions.ts'

/**
 * Reads the dialog on the screen, if there is one. It replaces the input box, or is a window over everything.
 *
 * @example askOn(screen)?.title // 'Shell command'
 */
export function askOn(screen: Screen): ScreenAsk | undefined {
  const lines = cropConversation(screen)
  const window = windowOn(screen)
  if (window) return window
  const end = lines.findLastIndex((line) => line.trim() !== '')
  if (boxOn(lines) || !lines[end]?.startsWith('  ┃')) return undefined
  let from = end
  while (lines[from - 1]?.startsWith('  ┃')) from--
  const rows = lines.slice(from, end + 1).map((line) => line.slice(3))
  const dialog: Dialog = { lines: rows, from, columns: screen.columns, cursor: screen.cursor }
  return readPermission(dialog) ?? readQuestion(dialog)
}

const close: ScreenOption = { id: 'close', label: 'Close', effect: 'other', keys: ['Escape'] }
const widths = [60, 88, 116]

/**
 * A window in the middle, with its title at the left and the key that closes it at the right. Only its colour shows
 * where it ends, so its content cannot be read.
 */
function windowOn({ lines, columns }: Screen): ScreenAsk | undefined {
  for (const width of widths) {
    const left = Math.floor((columns - Math.min(width, columns - 2)) / 2)
    const right = left + Math.min(width, columns - 2)
    const inner = lines.map((line) => line.slice(left, right).trimEnd())
    const top = inner.findIndex((line) => /^ {4}\S.* {3,}esc$/.test(line) && line.length === right - left - 4)
    // The rows above and below are empty.
    if (top < 1 || inner[top - 1] !== '' || inner[top + 1] !== '') continue
    return {
      kind: 'dialog',
      title: inner[top]!.replace(/ {3,}esc$/, '').trim(),
      options: [close],
    }
  }
  return undefined
}

import type { ScreenAsk, ScreenOption } from '../../contract/agent.ts'
import { findShownTool } from '../../contract/tools.ts'
import { withoutMargins } from '../../dialects/screen-text.ts'
import { type Dialog, clickOn } from './terminal-layout.ts'
import { tools } from './tools.ts'

/**
 * Reads a permission request and its follow-ups: the scope of "always", and what to do instead. Undefined for every
 * other dialog.
 *
 * @example readPermission(dialog)?.options.map(({ id }) => id) // ['allow', 'allow_always', 'deny']
 */
export function readPermission(dialog: Dialog): ScreenAsk | undefined {
  const head = dialog.lines.findIndex((line) => line.trim() !== '')
  const [, title] = /^ {2}△ (\S.*)$/.exec(dialog.lines[head] ?? '') ?? []
  if (title === 'Permission required') return required(dialog, head)
  if (title === 'Always allow') return always(dialog, head)
  return title === 'Reject permission' ? rejection(dialog, head) : undefined
}

/** Longer content is cut at this number of rows without an ellipsis. */
const mostRows = 15
const mostShown = 7

/** Full screen shows more, but a screen that is full or has gaps may still hide some rows. */
function mayHide(shown: readonly string[], lines: readonly string[], buttons: number): boolean {
  return (
    lines.slice(buttons - 3, buttons).some((line) => line.trim() !== '') ||
    shown.some((line) => line.trim() === '')
  )
}

function required(dialog: Dialog, head: number): ScreenAsk | undefined {
  const { lines } = dialog
  const buttons = lines.findLastIndex((line) => /^ {3}Allow once {3}Allow always {3}Reject\b/.test(line))
  if (buttons === -1) return undefined
  const what = (lines[head + 1] ?? '').trim()
  const shown = withoutMargins(lines.slice(head + 2, buttons)).map((line) => line.slice(2))
  const whole = /\bminimize\b/.test(lines.slice(buttons).join(' '))
  const isCut = whole ? mayHide(shown, lines, buttons) : lines.length >= mostRows
  const button = (id: string, label: string, effect: ScreenOption['effect'], keys?: readonly string[]) => ({
    id,
    label,
    effect,
    keys: keys ?? clickOn(dialog, buttons, label),
  })
  return {
    kind: 'permission',
    title: what.replace(/^\S /, ''),
    ...(shown.length === 0 ? {} : { body: shown.join('\n') }),
    ...readTool(what, shown, isCut),
    options: [
      button('allow', 'Allow once', 'allow'),
      button('allow_always', 'Allow always', 'allow_always'),
      button('deny', 'Reject', 'deny', ['Escape']),
      ...(isCut && !whole && shown.length >= mostShown
        ? [button('show', 'Show more', 'other', ['C-f'])]
        : []),
    ],
  }
}

function readTool(what: string, shown: readonly string[], isCut: boolean): Pick<ScreenAsk, 'tool' | 'input'> {
  const known = findShownTool(tools, what)
  if (known.tool === 'Bash') {
    const [first = ''] = shown
    // Wrapped lines are not joined, because a decision about a command must never take two lines for one.
    const command = first.startsWith('$ ') && !isCut ? shown.join('\n').slice(2) : undefined
    return { ...known, ...(command === undefined ? {} : { input: { command } }) }
  }
  const [, native] = /^⚙ Call tool (\S+)$/.exec(what) ?? []
  return native === undefined ? known : { tool: native }
}

/** The scope of "always", which lasts until the CLI restarts. */
function always(dialog: Dialog, head: number): ScreenAsk | undefined {
  const { lines } = dialog
  const buttons = lines.findLastIndex((line) => /^ {3}Confirm {3}Cancel\b/.test(line))
  if (buttons === -1) return undefined
  const shown = withoutMargins(lines.slice(head + 1, buttons)).map((line) => line.slice(2))
  return {
    kind: 'permission',
    title: 'Always allow',
    body: shown.join('\n'),
    options: [
      {
        id: 'allow_always',
        label: 'Confirm',
        effect: 'allow_always',
        keys: clickOn(dialog, buttons, 'Confirm'),
      },
      { id: 'cancel', label: 'Cancel', effect: 'other', keys: ['Escape'] },
    ],
  }
}

/** The user can give a sub-agent other instructions. */
function rejection({ lines }: Dialog, head: number): ScreenAsk {
  const shown = lines.slice(head + 1).find((line) => line.trim() !== '')
  return {
    kind: 'permission',
    title: 'Reject permission',
    ...(shown === undefined ? {} : { body: shown.trim() }),
    options: [
      { id: 'deny', label: 'Reject', effect: 'deny', keys: ['Enter'] },
      { id: 'cancel', label: 'Cancel', effect: 'other', keys: ['Escape'] },
    ],
    freeText: { before: [], after: ['Enter'] },
  }
}

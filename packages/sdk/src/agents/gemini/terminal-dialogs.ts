import type { Screen, ScreenAsk, ScreenOption } from '../../contract/agent.ts'
import { lastList, steps, toOptions } from '../../dialects/screen-list.ts'
import type { FoundList, Meaning } from '../../dialects/screen-list.ts'
import { unwrapped, withoutMargins } from '../../dialects/screen-text.ts'
import { readPermission } from './terminal-permissions.ts'

/** The question in the box at the end of the screen, if there is one. @example readDialog(screen)?.kind // 'permission' */
export function readDialog({ title, lines, columns }: Screen): ScreenAsk | undefined {
  const rows = findBox(lines)
  const waits = title.startsWith('✋')
  // The CLI waits for something that is not on the screen, so the user has to look at the terminal.
  if (!rows) return waits ? { kind: 'dialog', title: 'Action Required', options: [cancel] } : undefined
  const list = lastList(rows, '●')
  const footer = rows.findLast((row) => row.trim() !== '') ?? ''
  const head = withoutMargins(rows.slice(0, list?.from ?? rows.length))
  const [first = ''] = head
  if (first.startsWith('Answer Questions')) return question(head.slice(1), list, footer)
  if (!list || isPanel(head)) return closes(rows) ? panel(rows) : undefined
  if (first.startsWith('Ready to start implementation?')) return plan(head.slice(1), list)
  const permission = readPermission(head, list, columns)
  if (permission) return permission
  const asked = readTitle(rows)
  const around = [...head.slice(1), ...formatNotes(list), ...list.below].map((row) => row.trim())
  const body = unwrapped(withoutMargins(around), columns - 10)
  // Another column may follow the options, such as a theme preview.
  const items = list.items.map((each) => ({ ...each, label: firstColumn(each.label) }))
  return {
    kind: /\btrust\b/i.test(asked) ? 'trust' : 'dialog',
    title: asked,
    ...(body === '' ? {} : { body }),
    options: [...toOptions(items, dialogMeanings), ...(closes(rows) ? [close] : [])],
  }
}

const firstColumn = (text: string) => text.split(/ {3,}/)[0] ?? ''

function readTitle(rows: readonly string[]): string {
  return firstColumn((withoutMargins(rows)[0] ?? '').trim().replace(/^[?>] /, ''))
}

/** With two lists on the screen it is unknown which one a key would reach. */
const isPanel = (head: readonly string[]) => head.some((row) => /^\s*● +\d+\. /.test(row))

/** A panel opened by a command, such as the settings. Only closing it is safe. */
function panel(rows: readonly string[]): ScreenAsk {
  const shown = withoutMargins(withoutMargins(rows).slice(1))
  return { kind: 'dialog', title: readTitle(rows), body: shown.join('\n'), options: [close] }
}

const cancel: ScreenOption = { id: 'cancel', label: 'Cancel (esc)', effect: 'deny', keys: ['Escape'] }
const close: ScreenOption = { id: 'close', label: 'Close (esc)', effect: 'other', keys: ['Escape'] }

const dialogMeanings: readonly Meaning[] = [
  [/^Trust folder/, { id: 'trust', effect: 'allow_always' }],
  [/^Trust parent/, { id: 'trust_parent', effect: 'allow_always' }],
  [/^Yes\b/, { id: 'allow', effect: 'allow' }],
  [/^(?:Don't trust|No\b)/, { id: 'deny', effect: 'deny' }],
]

const closes = (rows: readonly string[]) => rows.some((row) => /Esc to(?: close| cancel| exit|$)/i.test(row))

/** The rows inside the last box of the screen, if only the footer is below it. */
function findBox(lines: readonly string[]): string[] | undefined {
  const end = lines.findLastIndex((line) => line.trim() !== '' && !below.test(line))
  const bottom = /^( ?)╰─+╯$/.exec(lines[end] ?? '')
  if (!bottom) return undefined
  const margin = bottom[1]?.length ?? 0
  const rows: string[] = []
  for (let row = end - 1; row >= 0 && lines[row]?.[margin] === '│'; row--) {
    // A wide character may shift the frame, so its right side is the last one of the line.
    rows.unshift((lines[row] ?? '').slice(margin + 2).replace(/ *│$/, ''))
  }
  return rows
}

/** Rows of the status area: the rule, the mode, the footer, and hints. */
const below =
  /^(?:─{20,}$| ?(?:YOLO|auto-accept edits|accepting edits|plan|manual|Shift\+Tab|workspace|~|\/|Press Ctrl\+|[⠀-⣿] )|.*(?:\? for shortcuts|\d+ MCP servers?|\/model)$)/

function question(rows: readonly string[], list: FoundList | undefined, footer: string): ScreenAsk {
  const [first, ...rest] = withoutMargins(rows)
  const tabs = first !== undefined && /^← .* →$/.test(first) ? first : undefined
  const content = withoutMargins(tabs === undefined ? rows : rest).filter((row) => row.trim() !== '▲')
  const [asked = 'Question', ...more] = content
  const next = /switch questions/.test(footer)
    ? [{ ...skip, keys: [/Tab/.test(footer) ? 'Tab' : 'Right'] }]
    : []
  if (!list) {
    const review = asked.startsWith('Review your answers')
    const shown = withoutMargins(more.filter((row) => row !== footer && !row.startsWith('> ')))
    return {
      kind: 'question',
      title: asked.replace(/:$/, ''),
      ...body(tabs, shown),
      ...(review ? {} : { freeText: { before: [], after: ['Enter'] } }),
      options: [...(review ? [submit] : next), cancel],
    }
  }
  const several = list.items.some(({ ticked }) => ticked !== undefined)
  const own = list.items.findIndex(
    ({ label, number }, index) => isFreeText(label, several, index, list) && number !== undefined,
  )
  const items = own === -1 ? list.items : list.items.filter((_, index) => index !== own)
  const typing = own !== -1 && list.items[own]?.marked === true
  const chosen = typing
    ? arrowsFrom(list, own)
    : toOptions(
        items.filter(({ number }) => number !== undefined),
        [],
      )
  return {
    kind: 'question',
    title: asked,
    ...body(tabs, [...withoutMargins(more), ...formatNotes({ items })]),
    ...(own === -1 || several ? {} : { freeText: toFreeText(list, own) }),
    options: [...chosen, ...(several ? doneOption(list) : []), ...next, cancel],
  }
}

/** Formats the descriptions of the options. */
function formatNotes({ items }: Pick<FoundList, 'items'>): string[] {
  return items.flatMap(({ label, notes }) => (notes.length === 0 ? [] : [`${label}: ${notes.join(' ')}`]))
}

const skip = { id: 'next', label: 'Next question', effect: 'other' } as const
const submit: ScreenOption = { id: 'submit', label: 'Submit (enter)', effect: 'allow', keys: ['Enter'] }

/** The last numbered item accepts free text, whatever it contains now. */
function isFreeText(label: string, several: boolean, index: number, { items }: FoundList): boolean {
  if (/^(?:Enter a custom value|Type your feedback)/.test(label)) return true
  return !several && index === items.length - 1 && items[index]?.notes.length === 0 && items[index].marked
}

function toFreeText({ items }: FoundList, own: number) {
  const item = items[own]
  return { before: item?.marked || item?.number === undefined ? [] : [String(item.number)], after: ['Enter'] }
}

/** While text is typed, digits are part of it, so arrows choose. */
function arrowsFrom({ items }: FoundList, own: number): ScreenOption[] {
  return toOptions(items, [], { arrows: true }).filter((_, index) => index !== own)
}

/** The item that ends a multiple choice is last, after the free-text item, and may be off screen. */
function doneOption({ items }: FoundList): ScreenOption[] {
  const marked = items.findIndex((each) => each.marked)
  const done = items.findIndex(({ number }) => number === undefined)
  const own = items.findIndex(({ label }) => label.startsWith('Enter a custom value'))
  const all = items.findIndex(({ label }) => label === 'All of the above')
  const at = done !== -1 ? done : own !== -1 ? own + 1 : all !== -1 ? all + 2 : -1
  return at === -1
    ? []
    : [{ id: 'done', label: 'Done', effect: 'allow', keys: [...steps(marked, at), 'Enter'] }]
}

function plan(rows: readonly string[], list: FoundList): ScreenAsk {
  const own = list.items.length - 1
  const typing = list.items[own]?.marked === true
  const options = toOptions(list.items, planMeanings, { arrows: typing }).filter((_, index) => index !== own)
  return {
    kind: 'plan',
    title: 'Ready to start implementation?',
    body: withoutMargins(rows).join('\n'),
    tool: 'ExitPlanMode',
    input: { plan: withoutMargins(rows).join('\n') },
    options: [...options, cancel],
    freeText: toFreeText(list, own),
  }
}

const planMeanings: readonly Meaning[] = [
  [/^Yes, automatically/, { id: 'allow_session', effect: 'allow_always' }],
  [/^Yes/, { id: 'allow', effect: 'allow' }],
]

function body(tabs: string | undefined, rows: readonly string[]): { body?: string } {
  const text = [...(tabs === undefined ? [] : [tabs]), ...withoutMargins(rows)].join('\n').trim()
  return text === '' ? {} : { body: text }
}

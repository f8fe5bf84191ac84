import type { ScreenAsk, ScreenOption } from '../../contract/agent.ts'
import { lastList, lastUnnumberedList, toOptions } from '../../dialects/screen-list.ts'
import type { FoundList, Meaning } from '../../dialects/screen-list.ts'
import { unwrapped, withoutMargins } from '../../dialects/screen-text.ts'
import { getTool, getToolByQuestion, toBody } from './terminal-permissions.ts'

/** The dialog at the end of a screen that has no input. @example readDialog(lines, 120)?.kind // 'permission' */
export function readDialog(lines: readonly string[], columns: number): ScreenAsk | undefined {
  const list = findList(lines)
  if (!list) return readPanel(lines)
  const above = lines.slice(0, list.from)
  const top = above.findLastIndex((line) => rule.test(line))
  const indent = /^ */.exec(above[top] ?? '')?.[0] ?? ''
  const frame = new RegExp(`^${indent}╌{10,}$`)
  const head = withoutMargins(above.slice(top + 1))
  // Without its top line only the end of the dialog is visible. Any text may be in the first visible row then, so it
  // says nothing about the kind of the dialog or its tool.
  const first = top === -1 ? '' : (head[0] ?? '').trim()
  const asked = getQuestion(head, columns)
  if (/^(?:[☐☒]|←)/.test(first)) return toQuestion(head, list)
  if (first.startsWith('Claude has written up a plan'))
    return toPlan(above.slice(0, top), joinRows(head, columns), list, frame)
  if (first.startsWith('Exit plan mode?'))
    return {
      kind: 'plan',
      title: first,
      ...withBody(joinRows(head.slice(1), columns)),
      tool: 'ExitPlanMode',
      options: toOptions(list.items, planMeanings, { wrapped: true }),
    }
  if (/^(?:Do|Would) you /.test(asked)) {
    const rows = head.slice(0, findQuestion(head))
    const body = outdent(toBody(rows, frame))
    return {
      kind: 'permission',
      title: asked,
      // The text is visibly cut.
      ...withBody(top === -1 ? `…\n${body}` : body),
      ...(top === -1 ? getToolByQuestion(asked) : getTool(rows, asked, frame)),
      options: toOptions(list.items, permissionMeanings, { wrapped: true }),
    }
  }
  const trust = first.startsWith('Accessing workspace:')
  const title = trust ? `${first} ${(head[2] ?? '').trim()}` : (head[0] ?? '').trim()
  return {
    kind: trust ? 'trust' : 'dialog',
    title: title || 'Dialog',
    ...withBody(joinRows(head.slice(trust ? 3 : 1), columns)),
    options: [
      ...toOptions(list.items, meanings, { wrapped: true }),
      ...(list.below.some((line) => /Esc to cancel/.test(line)) ? [close] : []),
    ],
  }
}

/** The list of options. It is the lower one where the dialog's content looks like a list as well. */
function findList(lines: readonly string[]): FoundList | undefined {
  const [list] = [lastList(lines, '❯'), lastUnnumberedList(lines, '❯')]
    .filter((each) => each !== undefined)
    .toSorted((one, other) => other.from - one.from)
  return list?.below.every((line) => footer.test(line)) ? list : undefined
}

/** A dialog without a list of options: settings, or a notice whose last paragraph names the keys. */
function readPanel(lines: readonly string[]): ScreenAsk | undefined {
  const top = lines.findLastIndex((line) => rule.test(line))
  const rows = withoutMargins(lines.slice(top + 1))
  const lastParagraph = rows.slice(rows.findLastIndex((row) => row.trim() === '') + 1)
  const keys = lastParagraph.map((row) => row.trim()).join(' ')
  if (top === -1 || !/\bEsc to (?:cancel|close|clear|exit|go back)\b/.test(keys)) return undefined
  const [title = '', ...rest] = rows
  return {
    kind: 'dialog',
    title: title.trim(),
    ...withBody(outdent(withoutMargins(rest))),
    options: title.includes("Auto mode can't check") ? [...toKeyOptions(keys), close] : [close],
  }
}

/** Options that are only named with their keys. @example toKeyOptions('Enter to stay in auto mode · Esc to cancel') */
function toKeyOptions(keys: string): ScreenOption[] {
  return keys.split(' · ').flatMap((part): ScreenOption[] => {
    const [, key = '', what = ''] = /^(Enter|shift\+tab) to (.+)$/i.exec(part.trim()) ?? []
    const label = `${what.charAt(0).toUpperCase()}${what.slice(1)}`
    if (key === 'Enter') return [{ id: 'stay', label, effect: 'other', keys: ['Enter'] }]
    // It leads to a mode in which later edits and commands run without a question.
    if (key) return [{ id: 'switch_mode', label, effect: 'allow_always', keys: ['BTab'] }]
    return []
  })
}

function withBody(body: string): { body?: string } {
  return body === '' ? {} : { body }
}

/** Rows without the spaces that all of them start with. */
function outdent(rows: readonly string[]): string {
  const margins = rows.filter((row) => row.trim() !== '').map((row) => row.search(/\S/))
  const margin = Math.min(...margins, rows.length === 0 ? 0 : Infinity)
  return rows.map((row) => row.slice(Math.min(margin, row.search(/\S|$/)))).join('\n')
}

/** The line above a dialog. Text inside of dialogs is indented further, so that it never looks like one. */
const rule = /^(?: {0,2}─{10,}|▔{10,}(?:.*▔)?)$/
/** Rows that only occur below the options of a dialog. */
const footer =
  /^\s*$|^\s*(?:Esc|Enter|Tab|s|ctrl\+\w|shift\+tab) to |^\s*[○◔◐◑◕●] \S+ effort\b|^\s*[←↑]|^\s*Not answered yet\b/i
const close: ScreenOption = { id: 'close', label: 'Close (esc)', effect: 'other', keys: ['Escape'] }
const cancel: ScreenOption = { id: 'cancel', label: 'Cancel (esc)', effect: 'deny', keys: ['Escape'] }

const meanings: readonly Meaning[] = [
  [/^Yes, I trust/, { id: 'trust', effect: 'allow_always' }],
  [/^Yes, set auto mode/, { id: 'switch_mode', effect: 'allow_always' }],
  [/^Yes\b/, { id: 'allow', effect: 'allow' }],
  [/^Submit answers/, { id: 'submit', effect: 'allow' }],
  [/^(?:No|Cancel)\b/, { id: 'deny', effect: 'deny' }],
]

/** Only a plain Yes allows this call alone. Every longer one also changes what is asked later. */
const permissionMeanings: readonly Meaning[] = [
  [/^Yes$/, { id: 'allow', effect: 'allow' }],
  [/^Yes, (?:and )?switch to/, { id: 'switch_mode', effect: 'allow_always' }],
  [/^Yes, allow all edits/, { id: 'allow_session', effect: 'allow_always' }],
  [/^Yes/, { id: 'allow_always', effect: 'allow_always' }],
  // On a narrow terminal the rest of a longer label may remain behind the last option: `3. Nooject`.
  [/^No/, { id: 'deny', effect: 'deny' }],
]

/** Where the question starts that ends the text of a dialog; it may be wrapped. */
function findQuestion(rows: readonly string[]): number {
  const at = rows.findLastIndex((row) => /^ {0,2}(?:Do|Would) you .*/.test(row))
  return at === -1 ? rows.length : at
}

function getQuestion(rows: readonly string[], columns: number): string {
  return joinRows(rows.slice(findQuestion(rows)), columns)
}

function joinRows(rows: readonly string[], columns: number): string {
  return unwrapped(
    withoutMargins(rows).map((row) => row.trim()),
    columns - 8,
  )
}

function toQuestion(head: readonly string[], list: FoundList): ScreenAsk {
  const [tabs = '', ...rest] = head.map((line) => line.trim())
  const [asked = 'Question', ...more] = withoutMargins(rest)
  if (asked.startsWith('Review your answers')) {
    const last = more.findLastIndex((line) => line.endsWith('?'))
    return {
      kind: 'question',
      title: more[last] ?? asked,
      body: withoutMargins([tabs, asked, ...more.slice(0, last)]).join('\n'),
      options: [...toOptions(list.items, meanings)],
    }
  }
  const chat = list.items.findIndex(({ label }) => label === 'Chat about this')
  const own = chat === -1 ? list.items.findIndex(({ label }) => label.startsWith('Type something')) : chat - 1
  const several = list.items.some(({ ticked }) => ticked !== undefined)
  const item = list.items[own]
  const typing = item?.marked === true
  const options = toOptions(list.items, questionMeanings, { arrows: typing }).filter(
    (_, index) => index !== own,
  )
  const notes = list.items
    .filter((_, index) => index !== own)
    .flatMap(({ label, notes: about }) => (about.length === 0 ? [] : [`${label}: ${about.join(' ')}`]))
  const next = tabs.startsWith('←') ? [{ ...skip, label: lastNote(item?.notes) }] : []
  const body = [tabs, ...more, ...notes].filter((line) => line !== '').join('\n')
  return {
    kind: 'question',
    title: asked,
    body,
    tool: 'AskUserQuestion',
    // Among several answers, the item for free text is one more to tick.
    ...(several || !item ? {} : { freeText: toFreeText(item, typing) }),
    options: [...options, ...next, cancel],
  }
}

function toFreeText(item: FoundList['items'][number] | undefined, typing: boolean) {
  const number = item?.number
  return { before: typing || number === undefined ? [] : [String(number)], after: ['Enter'] }
}

const questionMeanings: readonly Meaning[] = [[/^Chat about this/, { id: 'chat', effect: 'other' }]]
const skip: ScreenOption = { id: 'next', label: 'Next', effect: 'other', keys: ['Tab'] }
const lastNote = (notes: readonly string[] = []) => notes.at(-1) ?? 'Next'

/** The plan is above the question, between two frames. Claude renders its Markdown, so the exact input is not shown. */
function toPlan(above: readonly string[], asked: string, list: FoundList, frame: RegExp): ScreenAsk {
  const edges = above.flatMap((row, index) => (frame.test(row) ? [index] : []))
  // The upper frame of a long plan is out of sight.
  const text = outdent(withoutMargins(above.slice((edges.at(-2) ?? -1) + 1, edges.at(-1))))
  const own = list.items.findIndex(
    ({ label }, index) => label.startsWith('Tell Claude') || index === list.items.length - 1,
  )
  const item = list.items[own]
  const typing = item?.marked === true
  return {
    kind: 'plan',
    title: asked,
    ...withBody(text),
    tool: 'ExitPlanMode',
    options: [
      ...toOptions(list.items, planMeanings, { arrows: typing }).filter((_, index) => index !== own),
      cancel,
    ],
    freeText: toFreeText(item, typing),
  }
}

const planMeanings: readonly Meaning[] = [
  [/^Yes(?:$|, manually|, and (?:switch to default|manually))/, { id: 'allow', effect: 'allow' }],
  [/^Yes/, { id: 'allow_session', effect: 'allow_always' }],
  [/^No/, { id: 'deny', effect: 'deny' }],
]

import type { ScreenAsk, ScreenOption } from '../../agent.ts'
import { lastList, toOptions } from '../screen-list.ts'
import type { FoundList, Meaning } from '../screen-list.ts'
import { unwrapped, withoutMargins } from '../screen-words.ts'
import { toolOf } from './terminal-permissions.ts'

/** The question at the end of a screen that has no input. @example readDialog(lines, 120)?.kind // 'permission' */
export function readDialog(lines: readonly string[], columns: number): ScreenAsk | undefined {
  const list = lastList(lines, '❯')
  if (!list || !list.below.every((line) => footer.test(line))) return panel(lines)
  const above = lines.slice(0, list.from)
  const start = above.findLastIndex((line) => rule.test(line))
  const head = withoutMargins(above.slice(start + 1))
  const [first = ''] = head.map((line) => line.trim())
  const asked = questionOf(head, columns)
  if (/^(?:[☐☒]|←)/.test(first)) return question(head, list)
  if (first.startsWith('Claude has written up a plan'))
    return plan(above.slice(0, start), sentence(head, columns), list)
  if (first.startsWith('Exit plan mode?')) return planWithout(first, list)
  if (/^(?:Do|Would) you /.test(asked)) {
    const shown = withoutMargins(above.slice(start + 1, start + 1 + questionStart(above.slice(start + 1))))
    const body = withoutMargins(shown.filter((line) => !/^╌+$/.test(line)))
    return {
      kind: 'permission',
      title: asked,
      ...(body.length === 0 ? {} : { body: outdented(body) }),
      ...toolOf(shown, asked, columns),
      options: toOptions(list.items, permissionMeanings, { wrapped: true }),
    }
  }
  const trust = first.startsWith('Accessing workspace:')
  const rest = withoutMargins(head.slice(trust ? 3 : 1)).map((line) => line.trim())
  const body = unwrapped(rest, columns - 8)
  return {
    kind: trust ? 'trust' : 'dialog',
    title: trust ? `${first} ${(head[2] ?? '').trim()}` : first,
    ...(body === '' ? {} : { body }),
    options: [
      ...toOptions(list.items, meanings, { wrapped: true }),
      ...(list.below.some((line) => /Esc to cancel/.test(line)) ? [close] : []),
    ],
  }
}

/** What commands open: settings, lists to search in. A person has to look at it, or closes it. */
function panel(lines: readonly string[]): ScreenAsk | undefined {
  const start = lines.findLastIndex((line) => rule.test(line))
  const rows = withoutMargins(lines.slice(start + 1))
  if (start === -1 || !/\bEsc to (?:cancel|close|clear|exit|go back)\b/.test(rows.at(-1) ?? ''))
    return undefined
  const [title = '', ...rest] = rows
  return { kind: 'dialog', title: title.trim(), body: outdented(withoutMargins(rest)), options: [close] }
}

/** Lines without the spaces that all of them begin with. */
function outdented(lines: readonly string[]): string {
  const margins = lines.filter((line) => line !== '').map((line) => line.search(/\S/))
  return lines.map((line) => line.slice(Math.min(...margins))).join('\n')
}

const rule = /^─{10,}$/
/** What a dialog says below its options, and nothing else does. */
const footer = /^\s*$|^\s*(?:Esc|Enter|Tab|s|ctrl\+\w|shift\+tab) to |^\s*● \S+ effort\b|^\s*[←↑]/i
const close: ScreenOption = { id: 'close', label: 'Close (esc)', effect: 'other', keys: ['Escape'] }
const cancel: ScreenOption = { id: 'cancel', label: 'Cancel (esc)', effect: 'deny', keys: ['Escape'] }

const meanings: readonly Meaning[] = [
  [/^Yes, I trust/, { id: 'trust', effect: 'allow_always' }],
  [/^Yes, allow all edits/, { id: 'allow_session', effect: 'allow_always' }],
  [/^Yes, (?:and )?(?:don't ask|always allow|allow)/, { id: 'allow_always', effect: 'allow_always' }],
  [/^Yes\b/, { id: 'allow', effect: 'allow' }],
  [/^Submit answers/, { id: 'submit', effect: 'allow' }],
  [/^(?:No|Cancel)\b/, { id: 'deny', effect: 'deny' }],
]

/** On a narrow terminal the rest of a longer label may shine through behind the last option: `3. Nooject`. */
const permissionMeanings: readonly Meaning[] = [...meanings, [/^No/, { id: 'deny', effect: 'deny' }]]

/** Where the question starts that ends what is shown; it may be broken into several rows. */
function questionStart(rows: readonly string[]): number {
  const at = rows.findLastIndex((row) => /^\s*(?:Do|Would) you .*/.test(row))
  return at === -1 ? rows.length : at
}

function questionOf(rows: readonly string[], columns: number): string {
  return sentence(rows.slice(questionStart(rows)), columns)
}

function sentence(rows: readonly string[], columns: number): string {
  return unwrapped(
    withoutMargins(rows).map((row) => row.trim()),
    columns - 8,
  )
}

function question(head: readonly string[], list: FoundList): ScreenAsk {
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
    // Of several, the item for own words is one more to tick.
    ...(several || !item
      ? {}
      : {
          freeText: {
            before: typing || item.number === undefined ? [] : [String(item.number)],
            after: ['Enter'],
          },
        }),
    options: [...options, ...next, cancel],
  }
}

const questionMeanings: readonly Meaning[] = [[/^Chat about this/, { id: 'chat', effect: 'other' }]]
const skip: ScreenOption = { id: 'next', label: 'Next', effect: 'other', keys: ['Tab'] }
const lastNote = (notes: readonly string[] = []) => notes.at(-1) ?? 'Next'

/** The plan stands above the question, between two broken rules; it may have rules of its own. */
function plan(above: readonly string[], asked: string, list: FoundList): ScreenAsk {
  const edges = above.flatMap((row, index) => (/^╌+$/.test(row) ? [index] : []))
  // Of a long plan the upper edge is out of sight.
  const text = outdented(withoutMargins(above.slice((edges.at(-2) ?? -1) + 1, edges.at(-1))))
  const own = list.items.findIndex(
    ({ label }, index) => label.startsWith('Tell Claude') || index === list.items.length - 1,
  )
  const item = list.items[own]
  const typing = item?.marked === true
  return {
    kind: 'plan',
    title: asked,
    body: text,
    tool: 'ExitPlanMode',
    input: { plan: text },
    options: [
      ...toOptions(list.items, planMeanings, { arrows: typing }).filter((_, index) => index !== own),
      cancel,
    ],
    freeText: { before: typing || item?.number === undefined ? [] : [String(item.number)], after: ['Enter'] },
  }
}

const planMeanings: readonly Meaning[] = [
  [/^Yes, (?:and )?(?:use auto|auto-accept|bypass)/, { id: 'allow_session', effect: 'allow_always' }],
  [/^Yes/, { id: 'allow', effect: 'allow' }],
  [/^No/, { id: 'deny', effect: 'deny' }],
]

function planWithout(title: string, list: FoundList): ScreenAsk {
  return { kind: 'plan', title, tool: 'ExitPlanMode', options: toOptions(list.items, planMeanings) }
}

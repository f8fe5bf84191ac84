import type { Screen, ScreenAsk, ScreenOption } from '../../contract/agent.ts'
import { type Meaning, steps, toOptions } from '../../dialects/screen-list.ts'
import { unwrapped, withoutMargins } from '../../dialects/screen-text.ts'
import { approvalOf } from './terminal-permissions.ts'
import { type CodexList, listAbove } from './terminal-list.ts'

/**
 * What the screen asks, if it asks something. A dialog stands where the input line stood, at the bottom, and its last row
 * names its keys; nothing that the model says can stand there.
 *
 * @example askOn(screen)?.options.map(({ id }) => id) // ['allow', 'allow_always', 'deny']
 */
export function askOn(screen: Screen): ScreenAsk | undefined {
  const lines = withoutEnd(screen.lines)
  const cover = pagerOn(lines) ?? agentsOn(lines)
  if (cover) return cover
  const notes = notesOn(lines)
  if (notes) return notes
  const foot = footOf(lines)
  if (foot) {
    const list = listAbove(lines, foot.from)
    if (list) return dialogOf(screen, lines, list, foot.text)
    // The table of hooks has no numbers.
    return /\besc (?:close|back|to)/.test(foot.text) ? closable(lines, foot) : undefined
  }
  return modalOn(screen)
}

interface Foot {
  readonly text: string
  readonly from: number
}

/** The last row, or the last two where they were broken. */
function footOf(lines: readonly string[]): Foot | undefined {
  const end = lines.length - 1
  for (const from of [end, end - 1]) {
    if (from < 0) return undefined
    const text = lines
      .slice(from)
      .map((line) => line.trim())
      .join(' ')
    if (isFoot(text) && !/^\s*›/.test(lines[from] ?? '')) return { text, from }
  }
  return undefined
}

/** It begins with a key and names Enter and Esc. */
function isFoot(text: string): boolean {
  return (
    /^(?:press )?(?:enter|tab|t)\b/i.test(text) && /\benter\b/i.test(text) && /\besc\b[\w ]*$/i.test(text)
  )
}

function dialogOf(screen: Screen, lines: readonly string[], list: CodexList, foot: string): ScreenAsk {
  const from = headOf(lines, list.from)
  const head = lines
    .slice(from, list.from)
    .map((line) => line.replace(/^ {2}/, ''))
    .filter((line) => !/^Field \d+\/\d+$/.test(line))
  if (/submit (?:answer|all)/.test(foot)) return questionOf(head, list, screen.columns)
  const approval = approvalOf(lines.slice(0, from), head, list, screen.columns)
  if (approval) return approval
  const other = otherOf(head, list, screen.columns)
  return other.kind === 'plan' ? { ...other, ...planAbove(lines.slice(0, from)) } : other
}

/** The plan itself stands in the conversation, right above the question about it. */
function planAbove(above: readonly string[]): Pick<ScreenAsk, 'body' | 'tool' | 'input'> {
  const from = above.findLastIndex((line) => /^• Proposed Plan$/.test(line))
  const rest = above.slice(from + 1)
  const end = rest.findIndex((line) => /^ {2}Worked for /.test(line))
  const plan = from === -1 ? '' : bodyOf(rest.slice(0, end === -1 ? rest.length : end))
  // Where its beginning is off the screen, it is not the whole plan.
  return plan === '' ? { tool: 'ExitPlanMode' } : { tool: 'ExitPlanMode', body: plan, input: { plan } }
}

/**
 * Where a dialog begins: at its first row that is known, below the last thing of the conversation. The first, since what
 * the dialog shows may look like another one.
 */
function headOf(lines: readonly string[], list: number): number {
  const said = lines.slice(0, list).findLastIndex((line) => /^[•◦›■✔✗⚠]/.test(line))
  for (let row = said + 1; row < list; row++) {
    if (starts.test(lines[row] ?? '') && (lines[row - 1] ?? '') === '') return row
  }
  // Behind the empty row that ends what was said last.
  const gap = said === -1 ? -1 : lines.indexOf('', said)
  const from = lines.findIndex((line, row) => row > gap && line !== '')
  return from === -1 || from > list ? list : from
}

/** The first rows of the dialogs that are known. */
const starts =
  /^ {2}(?:Would you like to .*\?|Field \d+\/\d+|Question \d+\/\d+.*|Folder access|Hooks need review|Update available .*|Update Model Permissions|Select .*|Implement this plan\?|Allow .*\?|Do you want to .*\?|Approve .*\?)$/

function otherOf(head: readonly string[], list: CodexList, width: number): ScreenAsk {
  const [title = 'A dialog', ...rest] = withoutMargins(head)
  const body = [unwrapped(rest, width - 4), ...described(list)].filter((text) => text !== '').join('\n\n')
  const kind = title.startsWith('Folder access') ? 'trust' : title.endsWith('plan?') ? 'plan' : 'dialog'
  return {
    kind,
    title: title.trim(),
    ...(body === '' ? {} : { body }),
    // There digits only move the mark.
    options: toOptions(list.items, meanings[kind], { arrows: kind === 'trust' }),
  }
}

const meanings: Record<'trust' | 'plan' | 'dialog', readonly Meaning[]> = {
  trust: [
    [/^Trust/, { id: 'allow', effect: 'allow' }],
    [/^(?:Quit|Back to)/, { id: 'deny', effect: 'deny' }],
  ],
  plan: [
    [/^Yes, implement this plan/, { id: 'allow', effect: 'allow' }],
    [/^No/, { id: 'deny', effect: 'deny' }],
  ],
  // Whoever trusts hooks lets them run from then on.
  dialog: [
    [/^Trust all/, { id: 'allow_always', effect: 'allow_always' }],
    [/^Continue without trusting/, { id: 'deny', effect: 'deny' }],
  ],
}

/** What stands beside the labels is part of what is asked. */
function described({ items }: CodexList): string[] {
  const told = items.filter(({ description }) => description !== undefined)
  return told.length === 0
    ? []
    : [told.map(({ number, label, description }) => `${number}. ${label}: ${description}`).join('\n')]
}

function questionOf(head: readonly string[], list: CodexList, width: number): ScreenAsk {
  const [, ...rest] = withoutMargins(head)
  const question = unwrapped(withoutMargins(rest), width - 4)
  const marked = list.items.findIndex(({ marked: is }) => is)
  const none = list.items.findIndex(({ label }) => label === 'None of the above')
  const body = described(list).join('')
  const options = list.items
    .filter((_, index) => index !== none)
    .map(({ label, description }) => ({ label, description }))
  return {
    kind: 'question',
    title: question,
    ...(body === '' ? {} : { body }),
    tool: 'AskUserQuestion',
    input: { questions: [{ question, options }] },
    options: toOptions(list.items, []),
    // Words are a note to the last option.
    ...(none === -1 ? {} : { freeText: { before: [...steps(marked, none), 'Tab'], after: ['Enter'] } }),
  }
}

/** Words of one's own, which have a line of their own below the list; digits are words there. */
function notesOn(lines: readonly string[]): ScreenAsk | undefined {
  if (!/^ {2}tab or esc to clear notes \| enter to submit/.test(lines.at(-1) ?? '')) return undefined
  const from = lines.findLastIndex((line) => /^ {2}Question \d+\/\d+/.test(line))
  const end = lines.findIndex((line, row) => row > from && line === '')
  if (from === -1) return undefined
  return {
    kind: 'question',
    title: bodyOf(lines.slice(from + 1, end)),
    options: [{ id: 'back', label: 'Back to the options', effect: 'other', keys: ['Escape'] }],
    freeText: { before: [], after: ['Enter'] },
  }
}

const close: ScreenOption = { id: 'close', label: 'Close', effect: 'other', keys: ['Escape'] }

function closable(lines: readonly string[], foot: Foot): ScreenAsk | undefined {
  const from = lines.findIndex((line) => /^ {2}[A-Z][\w ]+$/.test(line))
  const title = lines[from]?.trim()
  if (title === undefined || from >= foot.from) return undefined
  return { kind: 'dialog', title, body: bodyOf(lines.slice(from + 1, foot.from)), options: [close] }
}

function bodyOf(lines: readonly string[]): string {
  return withoutMargins(lines.map((line) => line.replace(/^ {2}/, ''))).join('\n')
}

/** A text over the whole screen, which takes all keys. */
function pagerOn(lines: readonly string[]): ScreenAsk | undefined {
  const title = /^\/ ((?:[A-Z] )+)\/ \/ \//.exec(lines.find((line) => line !== '') ?? '')?.[1]
  if (title === undefined || !/\bq\b.*\b(?:close|quit)\b/.test(lines.slice(-2).join(' '))) return undefined
  const words = title.replaceAll(' ', '').toLowerCase()
  return {
    kind: 'dialog',
    title: words.charAt(0).toUpperCase() + words.slice(1),
    options: [{ id: 'close', label: 'Close', effect: 'other', keys: ['q'] }],
  }
}

/** The list of agents, which covers the whole screen since 0.169.0. It opens when a folder is not trusted, too. */
function agentsOn(lines: readonly string[]): ScreenAsk | undefined {
  const title = /^ {2}(Agent command center)\b/.exec(lines.find((line) => line !== '') ?? '')?.[1]
  return title !== undefined && /\besc back\b/.test(lines.at(-1) ?? '')
    ? { kind: 'dialog', title, options: [close] }
    : undefined
}

/** A window over the conversation: the input line stays, and the cursor has left it. */
function modalOn({ lines, cursor, columns }: Screen): ScreenAsk | undefined {
  const foot = lines.findIndex((line) => /^.*\S? {2,}enter select · esc back(?: |$)/.test(line))
  const input = lines.findLastIndex((line) => line.startsWith('›'))
  if (foot === -1 || foot >= input || cursor.y >= input) return undefined
  // It is in the middle of the screen, and text of the conversation may be beside it.
  const left = lines[foot]!.indexOf('enter select') - 2
  const inner = lines.slice(0, foot + 1).map((line) => line.slice(left, columns - left).trimEnd())
  const list = listAbove(inner, foot)
  const title = inner.slice(0, list?.from).findLastIndex((line) => /^ {2}[A-Z].*\?$/.test(line))
  if (!list || title === -1) return undefined
  const body = bodyOf(inner.slice(title + 1, list.from))
  const items = list.items.map((each) => ({ ...each, label: each.label.trim() }))
  return { kind: 'dialog', title: inner[title]!.trim(), body, options: toOptions(items, []) }
}

function withoutEnd(lines: readonly string[]): string[] {
  return lines.slice(0, lines.findLastIndex((line) => line !== '') + 1)
}

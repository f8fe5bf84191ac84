import type { Screen, ScreenAsk, ScreenOption } from '../../contract/agent.ts'
import { type Meaning, steps, toOptions } from '../../dialects/screen-list.ts'
import { unwrapped, withoutMargins } from '../../dialects/screen-text.ts'
import { toApproval } from './terminal-permissions.ts'
import { type CodexList, findListAbove } from './terminal-list.ts'

/**
 * Reads the dialog on the screen. A dialog replaces the input line at the bottom, and its last row names its keys; text of
 * the model never appears there.
 *
 * @example readAsk(screen)?.options.map(({ id }) => id) // ['allow', 'allow_always', 'deny']
 */
export function readAsk(screen: Screen): ScreenAsk | undefined {
  const lines = withoutTrailingRows(screen.lines)
  const cover = readPager(lines) ?? readAgentList(lines)
  if (cover) return cover
  const notes = readNotes(lines)
  if (notes) return notes
  const footer = findFooter(lines)
  if (footer) {
    const list = findListAbove(lines, footer.from)
    if (list) return toDialog(screen, lines, list, footer.text)
    // The table of hooks has no numbers.
    return /\besc (?:close|back|to)/.test(footer.text) ? toClosable(lines, footer) : undefined
  }
  return readModal(screen)
}

interface Footer {
  readonly text: string
  readonly from: number
}

/** The last row, or the last two if it is wrapped. */
function findFooter(lines: readonly string[]): Footer | undefined {
  const end = lines.length - 1
  for (const from of [end, end - 1]) {
    if (from < 0) return undefined
    const text = lines
      .slice(from)
      .map((line) => line.trim())
      .join(' ')
    if (isFooter(text) && !/^\s*›/.test(lines[from] ?? '')) return { text, from }
  }
  return undefined
}

/** A footer starts with a key and names Enter and Esc. */
function isFooter(text: string): boolean {
  return (
    /^(?:press )?(?:enter|tab|t)\b/i.test(text) && /\benter\b/i.test(text) && /\besc\b[\w ]*$/i.test(text)
  )
}

function toDialog(screen: Screen, lines: readonly string[], list: CodexList, footer: string): ScreenAsk {
  const from = findHead(lines, list.from)
  const head = lines
    .slice(from, list.from)
    .map((line) => line.replace(/^ {2}/, ''))
    .filter((line) => !/^Field \d+\/\d+$/.test(line))
  if (/submit (?:answer|all)/.test(footer)) return toQuestion(head, list, screen.columns)
  const approval = toApproval(lines.slice(0, from), head, list, screen.columns)
  if (approval) return approval
  const other = toOtherDialog(head, list, screen.columns)
  return other.kind === 'plan' ? { ...other, ...readPlan(lines.slice(0, from)) } : other
}

/** The plan is in the conversation, right above the question about it. */
function readPlan(above: readonly string[]): Pick<ScreenAsk, 'body' | 'tool' | 'input'> {
  const from = above.findLastIndex((line) => /^• Proposed Plan$/.test(line))
  const rest = above.slice(from + 1)
  const end = rest.findIndex((line) => /^ {2}Worked for /.test(line))
  const plan = from === -1 ? '' : toBody(rest.slice(0, end === -1 ? rest.length : end))
  // If the start of the plan is off the screen, the plan is incomplete.
  return plan === '' ? { tool: 'ExitPlanMode' } : { tool: 'ExitPlanMode', body: plan, input: { plan } }
}

/**
 * Finds the start of a dialog: the first known title row below the conversation. A later one may be part of the text that
 * the dialog shows.
 */
function findHead(lines: readonly string[], list: number): number {
  const last = lines.slice(0, list).findLastIndex((line) => /^[•◦›■✔✗⚠]/.test(line))
  for (let row = last + 1; row < list; row++) {
    if (starts.test(lines[row] ?? '') && (lines[row - 1] ?? '') === '') return row
  }
  // After the empty row that ends the conversation.
  const gap = last === -1 ? -1 : lines.indexOf('', last)
  const from = lines.findIndex((line, row) => row > gap && line !== '')
  return from === -1 || from > list ? list : from
}

/** The first rows of known dialogs. */
const starts =
  /^ {2}(?:Would you like to .*\?|Field \d+\/\d+|Question \d+\/\d+.*|Folder access|Hooks need review|Update available .*|Update Model Permissions|Select .*|Implement this plan\?|Allow .*\?|Do you want to .*\?|Approve .*\?)$/

function toOtherDialog(head: readonly string[], list: CodexList, width: number): ScreenAsk {
  const [title = 'A dialog', ...rest] = withoutMargins(head)
  const body = [unwrapped(rest, width - 4), ...toDescriptions(list)]
    .filter((text) => text !== '')
    .join('\n\n')
  const kind = title.startsWith('Folder access') ? 'trust' : title.endsWith('plan?') ? 'plan' : 'dialog'
  return {
    kind,
    title: title.trim(),
    ...(body === '' ? {} : { body }),
    // In the trust dialog digits only move the mark.
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
  // Trusted hooks always run from then on.
  dialog: [
    [/^Trust all/, { id: 'allow_always', effect: 'allow_always' }],
    [/^Continue without trusting/, { id: 'deny', effect: 'deny' }],
  ],
}

/** The descriptions beside the labels are part of the question. */
function toDescriptions({ items }: CodexList): string[] {
  const listed = items.filter(({ description }) => description !== undefined)
  return listed.length === 0
    ? []
    : [listed.map(({ number, label, description }) => `${number}. ${label}: ${description}`).join('\n')]
}

function toQuestion(head: readonly string[], list: CodexList, width: number): ScreenAsk {
  const [, ...rest] = withoutMargins(head)
  const question = unwrapped(withoutMargins(rest), width - 4)
  const marked = list.items.findIndex(({ marked: is }) => is)
  const none = list.items.findIndex(({ label }) => label === 'None of the above')
  const body = toDescriptions(list).join('')
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
    // Free text is a note to the last option.
    ...(none === -1 ? {} : { freeText: { before: [...steps(marked, none), 'Tab'], after: ['Enter'] } }),
  }
}

/** The input for free text below the list. Digits typed there are text. */
function readNotes(lines: readonly string[]): ScreenAsk | undefined {
  if (!/^ {2}tab or esc to clear notes \| enter to submit/.test(lines.at(-1) ?? '')) return undefined
  const from = lines.findLastIndex((line) => /^ {2}Question \d+\/\d+/.test(line))
  const end = lines.findIndex((line, row) => row > from && line === '')
  if (from === -1) return undefined
  return {
    kind: 'question',
    title: toBody(lines.slice(from + 1, end)),
    options: [{ id: 'back', label: 'Back to the options', effect: 'other', keys: ['Escape'] }],
    freeText: { before: [], after: ['Enter'] },
  }
}

const close: ScreenOption = { id: 'close', label: 'Close', effect: 'other', keys: ['Escape'] }

function toClosable(lines: readonly string[], footer: Footer): ScreenAsk | undefined {
  const from = lines.findIndex((line) => /^ {2}[A-Z][\w ]+$/.test(line))
  const title = lines[from]?.trim()
  if (title === undefined || from >= footer.from) return undefined
  return { kind: 'dialog', title, body: toBody(lines.slice(from + 1, footer.from)), options: [close] }
}

function toBody(lines: readonly string[]): string {
  return withoutMargins(lines.map((line) => line.replace(/^ {2}/, ''))).join('\n')
}

/** A full-screen text view, which receives all keys. */
function readPager(lines: readonly string[]): ScreenAsk | undefined {
  const title = /^\/ ((?:[A-Z] )+)\/ \/ \//.exec(lines.find((line) => line !== '') ?? '')?.[1]
  if (title === undefined || !/\bq\b.*\b(?:close|quit)\b/.test(lines.slice(-2).join(' '))) return undefined
  const name = title.replaceAll(' ', '').toLowerCase()
  return {
    kind: 'dialog',
    title: name.charAt(0).toUpperCase() + name.slice(1),
    options: [{ id: 'close', label: 'Close', effect: 'other', keys: ['q'] }],
  }
}

/** The list of agents, which covers the whole screen since 0.169.0. It opens when a folder is not trusted, too. */
function readAgentList(lines: readonly string[]): ScreenAsk | undefined {
  const title = /^ {2}(Agent command center)\b/.exec(lines.find((line) => line !== '') ?? '')?.[1]
  return title !== undefined && /\besc back\b/.test(lines.at(-1) ?? '')
    ? { kind: 'dialog', title, options: [close] }
    : undefined
}

/** A window over the conversation: the input line stays, and the cursor has left it. */
function readModal({ lines, cursor, columns }: Screen): ScreenAsk | undefined {
  const footer = lines.findIndex((line) => /^.*\S? {2,}enter select · esc back(?: |$)/.test(line))
  const input = lines.findLastIndex((line) => line.startsWith('›'))
  if (footer === -1 || footer >= input || cursor.y >= input) return undefined
  // It is in the middle of the screen, and text of the conversation may be beside it.
  const left = lines[footer]!.indexOf('enter select') - 2
  const inner = lines.slice(0, footer + 1).map((line) => line.slice(left, columns - left).trimEnd())
  const list = findListAbove(inner, footer)
  const title = inner.slice(0, list?.from).findLastIndex((line) => /^ {2}[A-Z].*\?$/.test(line))
  if (!list || title === -1) return undefined
  const body = toBody(inner.slice(title + 1, list.from))
  const items = list.items.map((each) => ({ ...each, label: each.label.trim() }))
  return { kind: 'dialog', title: inner[title]!.trim(), body, options: toOptions(items, []) }
}

function withoutTrailingRows(lines: readonly string[]): string[] {
  return lines.slice(0, lines.findLastIndex((line) => line !== '') + 1)
}

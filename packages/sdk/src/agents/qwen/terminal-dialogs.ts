import type { ScreenAsk, ScreenOption } from '../../contract/agent.ts'
import { findShownTool } from '../../contract/tools.ts'
import { type FoundList, type Meaning, lastList, steps, toOptions } from '../../dialects/screen-list.ts'
import { unwrapped, withoutMargins } from '../../dialects/screen-text.ts'
import { tools } from './tools.ts'

/** Reads the dialog on a screen without an input line. @example readDialog(lines, 120)?.kind // 'permission' */
export function readDialog(lines: readonly string[], columns: number): ScreenAsk | undefined {
  const rows = withoutMargins(lines.filter((line) => !waiting.test(line)))
  const box = findBox(rows)
  if (box) return readPanel(box, findList(box))
  const list = findList(rows)
  // The call that needs approval, with its tool.
  const call = rows.findLastIndex((row) => /^ {2}\? \S/.test(row))
  if (list && call < list.from && rows.some((row) => navigation.test(row)))
    return readQuestion(rows.slice(rows.indexOf('', Math.max(call, 0)), list.from), list, columns)
  const permission = list && readPermission(rows.slice(Math.max(call, 0), list.from), list)
  if (permission) return permission
  // A panel without a box is below the command that opened it, and below messages.
  const panel = rows.slice(rows.findLastIndex((row) => /^ {2}(?:[>●◆✓✕△] |Tips: )/.test(row)) + 1)
  const isStarting = rows.at(-1)?.endsWith(' Initializing...')
  return call === -1 && !isStarting && isPanel(panel) ? readPanel(panel, list) : undefined
}

const waiting = /^ {2}[⠀-⣿] Waiting for user confirmation\.\.\.$/
const navigation = /^ {3}↑\/↓: Navigate \| /
const option = (
  id: string,
  label: string,
  keys: readonly string[],
  effect: ScreenOption['effect'] = 'other',
): ScreenOption => ({ id, label, effect, keys })

/** The rows inside a box that ends the screen. It may be wider than the screen. */
function findBox(rows: readonly string[]): string[] | undefined {
  const bottom = rows.findLastIndex((row) => /^ *[╰└]─+[╯┘]?$/.test(row))
  const top = rows.findLastIndex((row, index) => index < bottom && /^ *[╭┌]─+[╮┐]?$/.test(row))
  // Below is at most a line of hints.
  if (top === -1 || withoutMargins(rows.slice(bottom + 1)).length > 1) return undefined
  const inside = rows.slice(top + 1, bottom).map((row) => row.replace(/^ *│ ?/, '').replace(/ *│$/, ''))
  return isPanel(inside) ? inside : undefined
}

/** Finds the last list with a selected item. In a multiple choice its boxes are before the numbers. */
function findList(rows: readonly string[]): FoundList | undefined {
  const selected = rows.findLastIndex((row) => /^ *[›❯] +(?:\[.\] )?\d+\. /.test(row))
  const below = rows.slice(selected).findIndex((row) => row === '')
  const shown = selected === -1 ? [] : rows.slice(0, below === -1 ? rows.length : selected + below)
  return lastList(
    shown.map((row) => row.replace(/^( *)› /, '$1❯ ').replace(/^( *❯? *)(\[.\] )(\d+\. )/, '$1$3$2')),
    '❯',
  )
}

const meanings: readonly Meaning[] = [
  [/^Yes, allow once/, { id: 'allow', effect: 'allow' }],
  [/^(?:Yes, allow|Allow) always$/, { id: 'allow_always', effect: 'allow_always' }],
  [/^Always allow .*in this project$/, { id: 'allow_project', effect: 'allow_always' }],
  [/^Always allow .*for this user$/, { id: 'allow_user', effect: 'allow_always' }],
  // The label is cut.
  [/^Always allow .*…$/, { id: 'allow_always', effect: 'allow_always' }],
  [/^Switch to Default Mode and allow once/, { id: 'allow_ask', effect: 'allow' }],
  [/^Yes, and manually approve/, { id: 'allow', effect: 'allow' }],
  [/^Yes, and auto-accept/, { id: 'allow_edits', effect: 'allow_always' }],
  [/^Yes, restore previous mode \((?:plan|default)\)/, { id: 'allow_previous', effect: 'allow' }],
  [/^Yes, restore previous mode/, { id: 'allow_previous', effect: 'allow_always' }],
  [/^No\b/, { id: 'deny', effect: 'deny' }],
]

/** Reads the approval of a call or a plan: the call, its content, one row with the question, and the options. */
function readPermission(above: readonly string[], list: FoundList): ScreenAsk | undefined {
  const options = toOptions(list.items, meanings, { wrapped: true })
  const effects = options.map(({ effect }) => effect)
  if (!effects.includes('allow') || !effects.includes('deny')) return undefined
  const asked = withoutMargins(above)
  const title = asked.at(-1)?.trim() ?? ''
  const shown = withoutMargins(asked.slice(0, -1))
  const [, call] = /^ {2}\? (.*?)(?: +←)?$/.exec(shown[0] ?? '') ?? []
  const isPlan = options.some(({ label }) => /keep planning/.test(label))
  const content = withoutIndent(
    shown
      .slice(call === undefined ? 0 : shown.indexOf(''))
      .filter((row) => !(isPlan && editorHint.test(row))),
  )
  if (isPlan) {
    const plan = content.join('\n')
    const input = isCut(content) || call === undefined ? {} : { input: { plan } }
    return { kind: 'plan', title, body: plan, tool: 'ExitPlanMode', ...input, options }
  }
  const tool = call === undefined ? {} : readTool(call, title, shown)
  const command = (tool.input as { command?: string } | undefined)?.command
  // The beginning of the content of another command is not certain, so all rows are shown.
  const body = command ?? (tool.tool === 'Bash' ? withoutIndent(shown) : content).join('\n')
  return { kind: 'permission', title, ...(body === '' ? {} : { body }), ...tool, options }
}

const editorHint = /^ *o open full plan in editor$/
const isCut = (rows: readonly string[]) =>
  rows.some((row) => /^ *\.\.\. (?:first|last) \d+ lines? hidden/.test(row))

function withoutIndent(rows: readonly string[]): string[] {
  const indent = Math.min(...rows.filter((row) => row !== '').map((row) => row.search(/\S/)))
  return withoutMargins(rows).map((row) => row.slice(indent))
}

function readTool(call: string, title: string, rows: readonly string[]): { tool?: string; input?: unknown } {
  const isWhole = rows[1] === ''
  const [, name, server] = /MCP tool "([^"]+)" from server "([^"]+)"/.exec(title) ?? []
  if (name !== undefined) return { tool: `mcp__${server}__${name}`, ...(isWhole ? readArguments(call) : {}) }
  const { tool, input } = findShownTool(tools, call)
  if (tool === undefined) return {}
  const seen = tool === 'Bash' ? readCommand(call, rows) : isWhole ? input : undefined
  return { tool, ...(seen === undefined ? {} : { input: seen }) }
}

/**
 * Reads a command, which is on the screen twice: in the call, followed by its description, and alone. Rows that are too long
 * are wrapped in the call and cut off below, so that only a command whose rows are the same is certain.
 */
function readCommand(call: string, rows: readonly string[]): { command: string } | undefined {
  const described = [call.replace(/^Shell /, ''), ...rows.slice(1).map((row) => row.slice(4))]
  for (const [end, row] of rows.entries()) {
    if (row !== '') continue
    const lines = rows.slice(end + 1).map((each) => each.slice(5))
    const isSame = (line: string, index: number) =>
      index === lines.length - 1
        ? /^(?:$| [([])/.test(described[index]?.replace(line, '') ?? '-')
        : described[index] === line
    if (lines.length > 0 && lines.length <= end && lines.every(isSame)) return { command: lines.join('\n') }
  }
  return undefined
}

function readArguments(call = ''): { input?: unknown } {
  try {
    return { input: JSON.parse(/(\{.*\})$/.exec(call)?.[1] ?? '') as unknown }
  } catch {
    return {}
  }
}

/** Reads a question of the model, or the review of the answers to several. */
function readQuestion(content: readonly string[], list: FoundList, columns: number): ScreenAsk {
  const [head = '', ...rest] = withoutMargins(content).map((row) => row.trim())
  const cancel = option('cancel', 'Cancel (esc)', ['Escape'], 'deny')
  const { items } = list
  const marked = items.findIndex((each) => each.marked)
  if (rest.at(-1) === 'Ready to submit your answers?') {
    const [submit, stop] = toOptions(items, [], { arrows: true })
    const chosen = [submit && { ...submit, id: 'submit', effect: 'allow' as const }, stop && cancelWith(stop)]
    return {
      kind: 'question',
      title: rest.at(-1)!,
      body: [head, ...withoutMargins(rest.slice(0, -1))].join('\n'),
      tool: 'AskUserQuestion',
      options: chosen.filter((each) => each !== undefined),
    }
  }
  // The last item takes text. While it is selected, keys are part of the text.
  const own = items.length - 1
  const typing = marked === own
  const several = items.some(({ ticked }) => ticked !== undefined)
  const offered = items.slice(0, own).map((item) => ({ ...item, label: item.label.replace(/ ✓$/, '') }))
  const chosen = toOptions([...offered, items[own]!], [], { arrows: typing }).slice(0, own)
  const toggles = chosen.map((each, index) => ({ ...each, keys: [...steps(marked, index), 'Space'] }))
  const notes = offered.flatMap(({ label, notes: lines }) =>
    lines.length === 0 ? [] : [`${label}: ${lines.join(' ')}`],
  )
  const isAnswered = offered.some(({ ticked }) => ticked === true)
  // Leaves the text first.
  const leave = typing ? ['Up'] : []
  return {
    kind: 'question',
    title: unwrapped(withoutMargins(rest), columns - 6),
    body: [head, ...notes].join('\n'),
    tool: 'AskUserQuestion',
    options: [
      ...(several ? toggles : chosen),
      ...(several && isAnswered ? [option('done', 'Done', [...leave, 'Enter'], 'allow')] : []),
      ...(head.includes('▸ ') ? [option('next', 'Next question', [...leave, 'Right'])] : []),
      cancel,
    ],
    freeText: { before: [...(typing ? [] : [String(own + 1)]), 'C-u'], after: ['Enter'] },
  }
}

const cancelWith = (stop: ScreenOption): ScreenOption => ({ ...stop, id: 'cancel', effect: 'deny' })

const panelMeanings: readonly Meaning[] = [
  [/^Trust folder/, { id: 'trust', effect: 'allow_always' }],
  [/^Trust parent/, { id: 'trust_parent', effect: 'allow_always' }],
  [/^Yes\b/, { id: 'allow', effect: 'allow' }],
  [/^(?:Don't trust|No\b)/, { id: 'deny', effect: 'deny' }],
]

const isPanel = (rows: readonly string[]) => rows.some((row) => /^ *[›❯●] +\S|\besc(?:ape)?\b/i.test(row))

const firstColumn = (text: string) => text.split(/ {3,}/)[0] ?? ''

/** Any other dialog, with the text that it shows. It closes on Escape. */
function readPanel(rows: readonly string[], list: FoundList | undefined): ScreenAsk {
  const [title = '', ...rest] = withoutMargins(rows).map((row) => row.trim())
  // Digits would be typed into a search.
  const shown = rest.some((row) => /\bsearch\b/i.test(row)) ? [] : (list?.items ?? [])
  // Another column may follow the options, such as a preview.
  const items = shown.map((each) => ({ ...each, label: firstColumn(each.label) }))
  const options = toOptions(items, panelMeanings)
  const body = withoutMargins(rest)
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n')
  const denies = options.some(({ effect }) => effect === 'deny')
  return {
    kind: options.some(({ id }) => id === 'trust') ? 'trust' : 'dialog',
    title: firstColumn(title.replace(/^> /, '')),
    ...(body === '' ? {} : { body }),
    options: [...options, ...(denies ? [] : [option('close', 'Close (esc)', ['Escape'])])],
  }
}

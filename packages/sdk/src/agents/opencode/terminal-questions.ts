import type { ScreenAsk, ScreenOption } from '../../contract/agent.ts'
import { unwrapped, withoutMargins } from '../../dialects/screen-text.ts'
import type { Dialog } from './terminal-layout.ts'

interface Item {
  readonly number: number
  readonly label: string
  readonly ticked?: boolean
  readonly notes: string[]
  /** The row of the dialog. */
  readonly row: number
}

const ownAnswer = 'Type your own answer'

/**
 * Reads a question of the model with its options, or the review of all answers before they are sent. Undefined for
 * every other dialog.
 *
 * @example readQuestion(dialog)?.title // 'Which colour?'
 */
export function readQuestion(dialog: Dialog): ScreenAsk | undefined {
  const { lines, columns } = dialog
  const foot = lines.findLastIndex((line) => line.trim() !== '')
  const hints = lines[foot] ?? ''
  if (!/\besc dismiss$/.test(hints)) return undefined
  const tabs = /^ {2}⇆ tab/.test(hints)
  const items = itemsIn(lines, foot)
  const head = withoutMargins(lines.slice(0, items[0]?.row ?? foot))
  // With several questions, the first row names them.
  const questionLines = withoutMargins(tabs ? head.slice(1) : head).map((line) => line.slice(2))
  if (items.length === 0) return tabs ? review(questionLines) : undefined
  const own = items.find(({ label }) => label === ownAnswer)
  const title = unwrapped(questionLines, columns - 8)
  const dismiss = option('dismiss', 'Dismiss', ['Escape'], 'deny')
  const writes = own !== undefined && dialog.cursor.y === dialog.from + own.row + 1
  const freeText = { before: writes || !own ? [] : [String(own.number)], after: ['Enter'] }
  if (writes)
    return {
      kind: 'question',
      title,
      tool: 'AskUserQuestion',
      options: [option('back', 'Back', ['Escape'])],
      freeText,
    }
  const offered = items.filter((item) => item !== own)
  const many = offered.some(({ ticked }) => ticked !== undefined)
  return {
    kind: 'question',
    title,
    tool: 'AskUserQuestion',
    input: { questions: [{ question: title, multiSelect: many, options: offered.map(described) }] },
    options: [
      ...offered.map((item) => option(`option-${item.number}`, formatLabel(item), [String(item.number)])),
      // Ticking sends nothing; a key goes to the next question or the review.
      ...(many && tabs ? [option('next', 'Next', ['Tab'])] : []),
      dismiss,
    ],
    ...(own === undefined ? {} : { freeText }),
    ...formatBody(offered),
  }
}

function review(questionLines: readonly string[]): ScreenAsk | undefined {
  const [title, ...answers] = questionLines
  if (title !== 'Review') return undefined
  return {
    kind: 'question',
    title,
    body: answers.filter((line) => line !== '').join('\n'),
    tool: 'AskUserQuestion',
    options: [
      option('submit', 'Submit', ['Enter'], 'allow'),
      option('dismiss', 'Dismiss', ['Escape'], 'deny'),
    ],
  }
}

/** Reads upwards, so that a list in the question is not part of the options. */
function itemsIn(lines: readonly string[], foot: number): Item[] {
  const items: Item[] = []
  let notes: string[] = []
  for (let row = foot - 1; row >= 0; row--) {
    const line = lines[row] ?? ''
    const [, number, tick, label] = /^ {2}(\d{1,2})\. (?:\[(.)\] )?(\S.*)$/.exec(line) ?? []
    if (label !== undefined && (items.length === 0 || Number(number) === items[0]!.number - 1)) {
      items.unshift({
        number: Number(number),
        label: label.replace(/ +✓$/, ''),
        notes,
        row,
        ...(tick === undefined ? {} : { ticked: tick !== ' ' }),
      })
      notes = []
      if (number === '1') return items
    } else if (line.trim() === '') {
      if (items.length > 0) return []
    } else {
      notes.unshift(line.trim())
    }
  }
  return []
}

function formatLabel({ label, ticked }: Item): string {
  return ticked === undefined ? label : `${ticked ? '[x]' : '[ ]'} ${label}`
}

function described({ label, notes }: Item): { label: string; description?: string } {
  return notes.length === 0 ? { label } : { label, description: notes.join(' ') }
}

function formatBody(items: readonly Item[]): { body?: string } {
  const withNotes = items.filter(({ notes }) => notes.length > 0)
  if (withNotes.length === 0) return {}
  return {
    body: withNotes.map(({ number, label, notes }) => `${number}. ${label}: ${notes.join(' ')}`).join('\n'),
  }
}

function option(
  id: string,
  label: string,
  keys: readonly string[],
  effect: ScreenOption['effect'] = 'other',
): ScreenOption {
  return { id, label, effect, keys }
}

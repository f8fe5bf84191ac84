import { getModeName } from '@remora/protocol/plain'
import type { Screen, ScreenState } from '../../contract/agent.ts'
import { unwrapped } from '../../dialects/screen-text.ts'
import { modes } from './modes.ts'
import { readDialog } from './terminal-dialogs.ts'

/**
 * Reads the state from the screen. A dialog replaces the input, so a screen with an input has no dialog.
 *
 * @example readScreen(screen).state // 'idle'
 */
export function readScreen({ title, lines: rows, columns }: Screen): ScreenState {
  const lines = toPlain(rows, columns)
  const input = findInput(lines)
  const isWorking = title.startsWith('◐') || lines.some((line) => spinner.test(line))
  if (!input) {
    const ask = isWorking ? undefined : readDialog(lines, columns)
    return ask ? { state: 'asking', ask } : { state: isWorking ? 'working' : 'starting' }
  }
  // Every prompt is in the queue for a moment before its turn begins.
  const isQueued = input.below.some((line) => / ⏳ \d+ queued$/.test(line))
  const turn = getLastTurn(lines.slice(0, input.top))
  const text = readAnswer(turn, columns)
  const seen = {
    input: input.text,
    ...(input.shell ? { shell: true as const } : {}),
    ...readFooter(input.below),
    ...(text === '' ? {} : { text }),
  }
  if (isWorking || isQueued) return { state: 'working', ...seen }
  const error = readError(turn, columns)
  if (error !== undefined) return { state: 'error', error, ...seen }
  return { state: 'idle', ...seen, ...(isInterrupted(turn) ? { interrupted: true as const } : {}) }
}

/** Removes the scroll bar at the right edge, and characters without a width: variants of symbols, and the cursor. */
function toPlain(rows: readonly string[], columns: number): string[] {
  const plain = rows.map((row) => row.replaceAll(/[\uFE0E\u200B]/g, '').trimEnd())
  const scrolls = plain.some((row) => row.length >= columns && row.endsWith(' █'))
  return scrolls ? plain.map((row) => row.replace(/[█│]$/, '').trimEnd()) : plain
}

/** The time is the part that no answer has at the end of a row. */
const spinner = /^ {2}(?:\S.* )?\((?:\d+[hms] ?)+(?: ?· [^()]*)?· esc to cancel\)$/

interface InputLine {
  /** The row of the rule above it. */
  readonly top: number
  readonly text: string
  readonly shell: boolean
  readonly below: readonly string[]
}

const rule = /^─{20,}$/
const placeholder = /^ {2}(?:Type your message or @path|Press 'i' for INSERT mode)/

/** The input: the last two rules of the screen with a prompt between them. */
function findInput(lines: readonly string[]): InputLine | undefined {
  const bottom = lines.findLastIndex((line) => rule.test(line))
  const top = bottom === -1 ? -1 : lines.findLastIndex((line, row) => row < bottom && rule.test(line))
  const [, prompt, first = ''] = /^([>*!])(?: (.*))?$/.exec(lines[top + 1] ?? '') ?? []
  if (top === -1 || prompt === undefined) return undefined
  const rest = lines.slice(top + 2, bottom).map((line) => line.slice(2))
  return {
    top,
    text: placeholder.test(first) ? '' : [first, ...rest].join('\n').trimEnd(),
    shell: prompt === '!',
    below: lines.slice(bottom + 1),
  }
}

/** The status line as it is by default: project, branch, model, context. The user may choose other parts. */
const statusLine =
  /^ {2}➜ .+? · (?:git:\(.+?\) · )?(?!v\d|[#+/~]|(?:Ready|Working|Confirm)$|[\da-f]{8}-)([^\s·]+)(?: · \S+ Context \S+ used)?$/

/** Reads the model and the mode, each of which may be hidden by something else. */
function readFooter(below: readonly string[]): Pick<ScreenState, 'model' | 'mode'> {
  const model = below.map((line) => statusLine.exec(line)?.[1]).find((each) => each !== undefined)
  const parts = below.flatMap((line) => line.trim().split(' · '))
  const mode = modes.find(({ screen }) => parts.some((part) => screen.test(part)))
  return { ...(model === undefined ? {} : { model }), ...(mode ? { mode: getModeName(modes, mode) } : {}) }
}

/** The rows from the last prompt; all rows if the prompt has scrolled off the screen. */
function getLastTurn(lines: readonly string[]): readonly string[] {
  const sent = lines.findLastIndex((line) => /^ {2}[>$] /.test(line))
  return sent === -1 ? lines : lines.slice(sent)
}

/**
 * Reads the text of the answer: blocks that begin with a diamond, with other lines indented. Rows of an answer that began
 * above the screen look like output of a tool, unless nothing else is on the screen.
 */
function readAnswer(turn: readonly string[], columns: number): string {
  const isCut = turn.every((line) => line === '' || /^ {4}/.test(line) || spinner.test(line))
  const blocks: string[][] = isCut ? [[]] : []
  let inside = isCut
  for (const line of turn) {
    const [, first] = /^ {2}◆ (.*)$/.exec(line) ?? []
    if (first !== undefined) blocks.push([first])
    inside = first !== undefined || (inside && (line === '' || /^ {4}/.test(line)))
    if (inside && first === undefined) blocks.at(-1)?.push(line.slice(4))
  }
  return blocks.map((block) => unwrapped(block, columns - 6)).join('\n\n')
}

/** Whether the turn ends with an answer that the user interrupted, not with a tool. */
function isInterrupted(turn: readonly string[]): boolean {
  const [before, last] = turn.filter((line) => /^ {2}[^\s(]/.test(line)).slice(-2)
  return last === '  ● Request cancelled.' && before?.startsWith('  ◆ ') === true
}

/** Reads the error that ended the turn, if its last block is one. The answer to a command is none. */
function readError(turn: readonly string[], columns: number): string | undefined {
  const at = turn.findLastIndex((line) => /^ {2}[^\s(]/.test(line))
  if (/^ {2}> \//.test(turn[0] ?? '') || !turn[at]?.startsWith('  ✕ ')) return undefined
  return unwrapped(
    turn.slice(at).map((line) => line.slice(4)),
    columns - 6,
  ).replace(/ \(Press Ctrl\+Y to retry\)$/, '')
}

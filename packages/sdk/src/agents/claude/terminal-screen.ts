import { getModeName } from '@remora/protocol/plain'
import type { Screen, ScreenState } from '../../contract/agent.ts'
import { unwrapped, withoutMargins } from '../../dialects/screen-text.ts'
import { modes } from './modes.ts'
import { readDialog } from './terminal-dialogs.ts'

/**
 * Reads the state of the screen. A dialog replaces the input, so a screen with an input has no dialog.
 *
 * @example readScreen(screen).state // 'idle'
 */
export function readScreen({ title, lines: rows, columns, cursor }: Screen): ScreenState {
  // Claude writes non-breaking spaces after its symbols.
  const lines = rows.map((row) => row.replaceAll('\u00a0', ' '))
  const input = findInput(lines, cursor)
  const model = readModel(lines)
  if (!input) {
    const ask = readDialog(rows, columns)
    if (ask) return { state: 'asking', ask, ...model }
    return { state: spinningTitle.test(title) ? 'working' : 'starting', ...model }
  }
  // A notice may be right above the input for some seconds, such as the tip about the focus events of tmux.
  const isNotice = isRightAligned(lines[input.top - 1] ?? '', columns)
  const turn = getLastTurn(lines.slice(0, isNotice ? input.top - 1 : input.top))
  const text = readAnswer(turn, columns)
  const mode = readMode(input.below)
  const seen = {
    input: input.text,
    ...(input.shell ? { shell: true as const } : {}),
    ...model,
    mode,
    ...(text === '' ? {} : { text }),
  }
  if (
    spinningTitle.test(title) ||
    input.below.some((row) => /\besc to interrupt\b/.test(row)) ||
    turn.some(isSpinner)
  ) {
    return { state: 'working', ...readSubject(turn), ...seen }
  }
  const error = readError(turn, columns)
  return error === undefined ? { state: 'idle', ...seen } : { state: 'error', error, ...seen }
}

/** Text of an answer wraps before the right edge. */
function isRightAligned(row: string, columns: number): boolean {
  return /^ {3,}\S/.test(row) && row.length >= columns - 3
}

/** The title starts with a spinner character while Claude works. */
const spinningTitle = /^[⠀-⣿]/

interface InputLine {
  /** The row of the rule above it. */
  readonly top: number
  readonly text: string
  readonly shell: boolean
  readonly below: readonly string[]
}

const rule = /^─{10,}(?:.*─+)?$/
/** Texts that Claude shows in an empty input. */
const placeholder =
  /^(?:Try "|Press up to edit queued messages|Resend your message to try again|Once fixed, resend your message)/

/** The input: two rules with a prompt between them, the last on the screen. */
function findInput(lines: readonly string[], cursor: Screen['cursor']): InputLine | undefined {
  const bottom = lines.findLastIndex((line) => rule.test(line))
  const top = bottom === -1 ? -1 : lines.findLastIndex((line, row) => row < bottom && rule.test(line))
  const [, prompt, first] = /^([❯!#]) ?(.*)$/.exec(lines[top + 1] ?? '') ?? []
  if (top === -1 || first === undefined) return undefined
  const text = [first, ...lines.slice(top + 2, bottom).map((line) => line.replace(/^ {2}/, ''))]
    .join('\n')
    .trimEnd()
  const empty = placeholder.test(text) && cursor.x <= 2
  return { top, text: empty ? '' : text, shell: prompt === '!', below: lines.slice(bottom + 1) }
}

/** A mode that the screen does not show is the asking mode. */
function readMode(below: readonly string[]): string {
  const shown = modes.find(({ screen }) => screen && below.some((line) => screen.test(line)))
  return getModeName(modes, shown ?? modes[0]!)
}

/** The first rows of the welcome text: in a box until 2.1.283, beside a moving logo since then. */
const welcome = /^[ ▐▛▜▝▘█]*Claude Code v\d/
const modelRow = /^(?:│ +|▝▜█+▀ +)(\S.*?)(?: with \w+ effort)? · /
const modelBelowWelcome = /^[ ▐▛▜▝▘█▀]*(\w.*?)(?: with \w+ effort)? · /

/** The welcome names the model as long as it is on the screen. */
function readModel(lines: readonly string[]): { model?: string } {
  const model = lines
    .map(
      (line, row) =>
        modelRow.exec(line) ?? (welcome.test(lines[row - 1] ?? '') && modelBelowWelcome.exec(line)),
    )
    .find(Boolean)
  return model ? { model: model[1]! } : {}
}

/** The rows after the last prompt; all rows if the prompt has scrolled off the screen. */
function getLastTurn(all: readonly string[]): readonly string[] {
  const lines = withoutQueued(all)
  const sent = lines.findLastIndex((line) => line.startsWith('❯ '))
  // Between the welcome text and the first prompt are only notices.
  const fresh =
    sent === -1 &&
    lines.some((line) => /^[╭│].*[╮│]$/.test(line) || welcome.test(line) || modelRow.test(line))
  if (fresh) return []
  // Adds the dot of an answer that starts above the screen. Tool results are indented further.
  return sent === -1 && /^ {2}\S/.test(lines[0] ?? '')
    ? [`● ${lines[0]?.slice(2)}`, ...lines.slice(1)]
    : lines.slice(sent + 1)
}

/** Prompts that wait for the end of the turn look like sent ones since 2.1.283, but for the row below them. */
function withoutQueued(lines: readonly string[]): readonly string[] {
  const queued = lines.findIndex((line) => /^ {2}⎿ +Queued\b/.test(line))
  if (queued === -1) return lines
  const from = lines.findLastIndex((line, row) => row < queued && line.startsWith('❯ '))
  return from === -1 ? lines : lines.slice(0, from)
}

const spinner = /^[·✢✳✶✻✽*] (\S.*)…(?: \(.*)?$/
const isSpinner = (line: string) => spinner.test(line)

/** The spinner names the current task of a task list; without one it shows a random word. */
function readSubject(turn: readonly string[]): { subject?: string } {
  const subject = turn.map((line) => spinner.exec(line)?.[1]).findLast((each) => each !== undefined)
  return subject?.includes(' ') ? { subject } : {}
}

interface Block {
  readonly rows: string[]
  /** Whether it is the call or output of a tool. */
  tool: boolean
}

/** Splits a turn at its dots: each starts a text of the answer, or a tool with its results. */
function splitBlocks(turn: readonly string[]): Block[] {
  const blocks: Block[] = []
  let open: Block | undefined
  for (const line of turn) {
    const start = /^[●⏺] (.*)$/.exec(line)?.[1]
    if (start !== undefined) {
      open = { rows: [start], tool: toolCall.test(start) }
      blocks.push(open)
    } else if (/^ {2}⎿/.test(line)) {
      if (open && !/Interrupted/.test(line)) open.tool = true
      open = undefined
    } else if (
      open &&
      (line === '' || (/^ {2}/.test(line) && !/^ {2}(?:❯|Thought for|Call(?:ed|ing) )/.test(line)))
    ) {
      open.rows.push(line.slice(2))
    } else open = undefined
  }
  return blocks
}

const toolCall = /^(?:[A-Z]\w*|[\w-]+ - \w+)\(|\(ctrl\+o to expand\)$/
const failure = /^(?:API Error|Not logged in|Invalid API key|Credit balance|Please run \/login)/

function readAnswer(turn: readonly string[], columns: number): string {
  return splitBlocks(turn)
    .filter(({ tool, rows }) => !tool && !failure.test(rows[0] ?? ''))
    .map(({ rows }) => unwrapped(rows, columns - 6))
    .join('\n\n')
}

/** The error message, if the turn failed. */
function readError(turn: readonly string[], columns: number): string | undefined {
  const at = turn.findLastIndex(
    (line) => failure.test(line.replace(/^(?:[●⏺]| {2}⎿) */, '')) && /^[●⏺]| {2}⎿/.test(line),
  )
  if (at === -1) return undefined
  const rest = turn.slice(at + 1)
  const end = rest.findIndex((line) => !/^ {2,}\S/.test(line))
  const rows = [turn[at] ?? '', ...rest.slice(0, end === -1 ? rest.length : end)]
  return unwrapped(withoutMargins(rows.map((row) => row.replace(/^(?:[●⏺]| {2}⎿)? */, ''))), columns - 6)
}

import { getModeName } from '@remora/protocol/plain'
import type { Mode, Screen, ScreenState } from '../../contract/agent.ts'
import { unwrapped } from '../../dialects/screen-text.ts'
import { modes } from './modes.ts'
import { readDialog } from './terminal-dialogs.ts'

/**
 * Reads the state from the screen. The title has the activity, the rows have the rest; dialogs of the CLI itself leave
 * the title at "Ready".
 *
 * @example readScreen(screen).state // 'idle'
 */
export function readScreen(screen: Screen): ScreenState {
  const { lines, columns } = screen
  const crash = readCrash(lines)
  if (crash !== undefined) return { state: 'error', error: crash }
  const input = findInput(lines)
  const ask = input ? undefined : readDialog(screen)
  const about = { ...readMode(lines, input), ...readModel(lines) }
  if (ask) return { state: 'asking', ask, ...about }
  const text = readAnswer(lines, input, columns)
  const seen = {
    ...about,
    ...(input ? { input: input.text } : {}),
    ...(input?.shell ? { shell: true as const } : {}),
    ...(text === '' ? {} : { text }),
  }
  if (isWorking(screen)) return { state: 'working', ...readSubject(lines), ...seen }
  if (!input) return { state: 'starting', ...about }
  const error = readError(lines, input, columns)
  return error === undefined ? { state: 'idle', ...seen } : { state: 'error', error, ...seen }
}

interface InputLine {
  /** The row of the frame above the input. */
  readonly top: number
  readonly text: string
  readonly yolo: boolean
  readonly shell: boolean
}

/** The frame around the input consists of half blocks: upper ones above and lower ones below, swapped since 0.6x. */
const edge = /^\s?[▀▄]{20,}$/
const prompt = /^ ([>*!])(?: (.*))?$/
const placeholder = /^ {2}Type your message or @path|^ {2}Type your shell command/

/** Finds the input line. Sent prompts have the same frame, but no footer below. */
function findInput(lines: readonly string[]): InputLine | undefined {
  const bottom = lines.findLastIndex((line) => edge.test(line))
  const top = bottom === -1 ? -1 : lines.findLastIndex((line, row) => row < bottom && edge.test(line))
  const [, sign, first = ''] = prompt.exec(lines[top + 1] ?? '') ?? []
  if (top === -1 || sign === undefined || !footerBelow(lines, bottom)) return plainInput(lines)
  const rest = lines.slice(top + 2, bottom).map((line) => line.slice(3))
  const text = placeholder.test(` ${first}`) || placeholder.test(first) ? '' : [first, ...rest].join('\n')
  return { top, text: text.trimEnd(), yolo: sign === '*', shell: sign === '!' }
}

/** A terminal with few colours has no frame: the input is between the rule with the mode and the footer. */
function plainInput(lines: readonly string[]): InputLine | undefined {
  const rule = lines.findLastIndex((line) => /^─{20,}$/.test(line))
  const row = rule === -1 ? -1 : lines.findIndex((line, index) => index > rule && prompt.test(line))
  const [, sign, first = ''] = prompt.exec(lines[row] ?? '') ?? []
  if (sign === undefined || row > rule + 3) return undefined
  const below = lines.slice(row + 1)
  const end = below.findIndex((line) => !/^ {3}\S/.test(line))
  const rest = below.slice(0, end === -1 ? below.length : end)
  if (!footerBelow(lines, row + rest.length)) return undefined
  const text = placeholder.test(` ${first}`) || placeholder.test(first) ? '' : first
  return {
    top: row,
    text: [text, ...rest.map((line) => line.slice(3))].join('\n').trimEnd(),
    yolo: sign === '*',
    shell: sign === '!',
  }
}

/** Completions and the footer may be below the input, but no part of a conversation. */
function footerBelow(lines: readonly string[], bottom: number): boolean {
  const below = lines.slice(bottom + 1).filter((line) => line.trim() !== '')
  return below.length > 0 && !below.some((line) => /^(?:[✦ℹ✕⚠]|\s?[╭│╰]|─{20})/.test(line))
}

const titles = { working: /^[✦⏲]/, ready: /^◇/, asking: /^✋/ } as const
const spinner = /^ ?[⠀-⣿] (.*?) ?\(esc to cancel(?:, [^)]*)?\)/

function isWorking({ title, lines }: Screen): boolean {
  if (titles.working.test(title)) return true
  // A tool may wait for the user inside its own output, such as a shell that reads input.
  return !titles.ready.test(title) && lines.some((line) => spinner.test(line))
}

/** Reads the subject of the current thought. Without one the CLI shows a filler or a tip, which end in dots. */
function readSubject(lines: readonly string[]): { subject?: string } {
  const subject = lines
    .map((line) =>
      spinner
        .exec(line)?.[1]
        ?.replace(/^Thinking\.\.\. (?=\S)/, '')
        .trim(),
    )
    .findLast((each) => each !== undefined)
  return subject === undefined || subject === '' || /(?:…|\.\.\.)$/.test(subject) ? {} : { subject }
}

/** The mode is in the row above the input, or on its own if a dialog hides the input. */
function readMode(lines: readonly string[], input: InputLine | undefined): { mode?: Mode } {
  if (input?.yolo) return { mode: 'bypassPermissions' }
  const rule = lines.findLastIndex((line) => /^─{20,}$/.test(line))
  const rows =
    rule === -1 ? (input ? lines.slice(Math.max(input.top - 2, 0), input.top) : []) : lines.slice(rule + 1)
  // The hint of the asking mode may be shown beside another mode.
  const mode = modes.findLast(({ screen }) => rows.some((row) => screen.test(row)))
  return mode ? { mode: getModeName(modes, mode) } : {}
}

/** Reads the last column of the footer; before 0.3x it is on one line with its name. */
function readModel(lines: readonly string[]): { model?: string } {
  const head = lines.findLastIndex((line) => line.endsWith(' /model'))
  const row = lines[head] ?? ''
  const old = / {2}(\S.*) \/model$/.exec(row)?.[1]
  const model = row.startsWith(' workspace ')
    ? (lines[head + 1] ?? '').split(/ {2,}/).at(-1)?.trim()
    : old?.split(/ {2,}/).at(-1)
  return model ? { model } : {}
}

/** The rows of the last turn: from the last visible prompt to the status above the input. */
function lastTurn(lines: readonly string[], input: InputLine | undefined): readonly string[] {
  const end = input?.top ?? lines.length
  const sent = lines.findLastIndex((line, row) => row < end && edge.test(line))
  const turn = lines.slice(sent + 1, end)
  // The marker of an answer that began above the screen.
  const cut = sent === -1 && /^ {2,3}\S/.test(turn[0] ?? '') && !turn.includes('Tips for getting started:')
  if (cut) turn[0] = `✦ ${turn[0]?.slice(2)}`
  const rule = turn.findLastIndex((line) => /^─{20,}$/.test(line))
  return rule === -1 ? turn : turn.slice(0, rule)
}

/** Reads the text of the answer: blocks that begin with a star, with other lines indented. */
function readAnswer(lines: readonly string[], input: InputLine | undefined, columns: number): string {
  const blocks: string[][] = []
  let inside = false
  for (const line of lastTurn(lines, input)) {
    const begins = /^✦ (.*)$/.exec(line)
    if (begins) {
      blocks.push([begins[1] ?? ''])
      inside = true
    } else if (inside && (line.trim() === '' || /^ {2}/.test(line)) && !chrome.test(line)) {
      blocks.at(-1)?.push(line.slice(2))
    } else inside = false
  }
  // The star takes two columns, and the CLI leaves a margin at the edge.
  return blocks.map((block) => unwrapped(block, columns - 6)).join('\n\n')
}

/** Rows indented like an answer that are not one: the queue, hints, and since 0.6x finished tools. */
const chrome =
  /^ {2}Queued \(press|^ +\? for shortcuts$|^ {2,}(?:Press Ctrl|Slash commands cannot)|^ {2}[✓✕⊷o-] {2}\S/

/**
 * Reads the cause of a crash, which the rendering library then shows instead of everything else. Before 0.6x the CLI
 * keeps running with its old title and accepts no key. A small window shows only the end of the stack trace.
 */
function readCrash(lines: readonly string[]): string | undefined {
  const head = lines.findLastIndex((line) => /^ {2}ERROR {2}\S/.test(line))
  const rest = lines.slice(head + 1)
  if (rest.some((line) => /^\S/.test(line)) || !rest.some((line) => /\d:\d+\)$/.test(line))) return undefined
  if (rest.filter((line) => /^ - ?\S/.test(line)).length < (head === -1 ? 3 : 1)) return undefined
  const end = rest.findIndex((line) => line.trim() === '')
  const text = head === -1 ? [] : [lines[head]!, ...rest.slice(0, Math.max(end, 0))]
  return ['It has crashed', text.map((line) => line.trim().replace(/^ERROR +/, '')).join(' ')]
    .filter((each) => each !== '')
    .join(': ')
}

/** Reads the error that ended the turn, if its last block is one. */
function readError(lines: readonly string[], input: InputLine, columns: number): string | undefined {
  const turn = lastTurn(lines, input)
  const at = turn.findLastIndex((line) => /^[✕✦]/.test(line))
  if (!turn[at]?.startsWith('✕')) return undefined
  const rest = turn.slice(at + 1)
  const end = rest.findIndex((line) => !/^ {2}\S/.test(line))
  const block = [
    turn[at].slice(2),
    ...rest.slice(0, end === -1 ? rest.length : end).map((line) => line.slice(2)),
  ]
  return unwrapped(block, columns - 45)
}

import { getModeName } from '@remora/protocol/plain'
import type { Mode, Screen, ScreenState } from '../../contract/agent.ts'
import { unwrapped, withoutMargins } from '../../dialects/screen-text.ts'
import { modes } from './modes.ts'
import { askOn } from './terminal-dialogs.ts'
import { type Box, type Piece, boxOn, cropConversation, splitPieces } from './terminal-layout.ts'

/**
 * Reads the state from the screen of OpenCode.
 *
 * @example readScreen(screen).state // 'idle'
 */
export function readScreen(screen: Screen): ScreenState {
  const ask = askOn(screen)
  if (ask) return { state: 'asking', ask }
  const lines = cropConversation(screen)
  const box = boxOn(lines)
  if (!box) return { state: lines.some((line) => line.trim() !== '') ? 'working' : 'starting' }
  const pieces = splitPieces(lines.slice(0, box.from))
  const { text, subject } = readAnswer(pieces, screen.columns)
  // The first screen has a logo in place of answers.
  const shown = { ...facts(box), ...(text !== undefined && /\p{L}/u.test(text) ? { text } : {}) }
  if (works(box))
    return { state: 'working', ...shown, ...(subject === undefined ? {} : { subject }), ...retrying(box) }
  const error = errorAtEnd(lines.slice(0, box.from), screen.columns)
  return error === undefined ? { state: 'idle', ...shown } : { state: 'error', ...shown, error }
}

/** While it works, squares move below the box, or three dots appear if animations are off. */
function works({ hints }: Box): boolean {
  return /^(?:[■⬝]{4,}|\[⋯\])/.test(hints)
}

/** OpenCode is retrying and shows the reason. */
function retrying({ hints }: Box): { subject?: string } {
  const [, message] = /^\S+ (\S.*?) \[retrying /.exec(hints) ?? []
  return message === undefined ? {} : { subject: message }
}

function facts({ input, agent, model }: Box): Pick<ScreenState, 'input' | 'shell' | 'mode' | 'model'> {
  return {
    input,
    ...(agent === 'Shell' ? { shell: true as const } : {}),
    ...(agent === '' || agent === 'Shell' ? {} : { mode: toMode(agent) }),
    ...(model === '' ? {} : { model }),
  }
}

/** Other agents are the user's own and are shown by their names. */
function toMode(agent: string): Mode {
  const mode = modes.find((each) => each.agent === agent)
  return mode ? getModeName(modes, mode) : agent
}

/** An error is behind a bar, between the last work and the line that ends the turn, which then has no duration. */
function errorAtEnd(lines: readonly string[], width: number): string | undefined {
  const pieces = splitPieces(lines)
  const end = pieces.at(-1)
  const errorPiece = pieces.at(-2)
  if (end?.barred !== false || !/^ {5}▣ {2}[^·]+ · [^·]+$/.test(end.lines.at(-1) ?? '')) return undefined
  // The first block of a turn is the prompt.
  if (!errorPiece?.barred || pieces.length < 3 || isEnd(pieces.at(-3)?.lines.at(-1))) return undefined
  const errorLines = withoutMargins(errorPiece.lines.map((line) => line.replace(/^ {2}/, '')))
  return /^[$#←→⚙] /.test(errorLines[0] ?? '$ ') ? undefined : unwrapped(errorLines, width - 8)
}

function isEnd(line: string | undefined): boolean {
  return /^ {5}▣ /.test(line ?? '')
}

/** Blocks with these prefixes are tool activity, not an answer. */
const sign = /^ {5}(?:[⠁-⣿▣$→←%⚙✱◈│#↳◉⟳~✓+] |↳|ctrl\+x )/

/**
 * Reads the answer of the last turn, and its current activity or thought.
 *
 * @example readAnswer(splitPieces(lines), 120) // { text: 'Hello' }
 */
function readAnswer(pieces: readonly Piece[], width: number): { text?: string; subject?: string } {
  const turn = pieces.slice(pieces.findLastIndex(isPrompt) + 1).filter(({ barred }) => !barred)
  const text = turn
    .filter(({ lines }) => !sign.test(lines[0] ?? '') && lines.every((line) => /^ {5}/.test(line)))
    .map(({ lines }) =>
      unwrapped(
        lines.map((line) => line.slice(5)),
        width - 8,
      ),
    )
    .join('\n\n')
  const rows = turn.flatMap(({ lines }) => lines)
  const subject = rows
    .map((line) => /^ {5}[⠁-⣿] (?:Thinking: )?(.+)$/.exec(line)?.[1])
    .findLast((found) => found !== undefined)
  return { ...(text === '' ? {} : { text }), ...(subject === undefined ? {} : { subject: subject.trim() }) }
}

/** Whether a block is a prompt that is not queued. Tool output begins with its call. */
function isPrompt({ barred, lines }: Piece): boolean {
  const textLines = lines.map((line) => line.trim()).filter((line) => line !== '')
  return barred && textLines.length > 0 && !/^[$#] /.test(textLines[0]!) && textLines.at(-1) !== 'QUEUED'
}

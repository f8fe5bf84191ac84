import type { Mode, Screen, ScreenState } from '../../contract/agent.ts'
import { unwrapped, withoutMargins } from '../../dialects/screen-text.ts'
import { askOn } from './terminal-dialogs.ts'
import { type Box, boxOn, conversationOf, piecesOf } from './terminal-layout.ts'
import { wordsIn } from './terminal-words.ts'

/**
 * What the screen of OpenCode says.
 *
 * @example readScreen(screen).state // 'idle'
 */
export function readScreen(screen: Screen): ScreenState {
  const ask = askOn(screen)
  if (ask) return { state: 'asking', ask }
  const lines = conversationOf(screen)
  const box = boxOn(lines)
  if (!box) return { state: lines.some((line) => line.trim() !== '') ? 'working' : 'starting' }
  const pieces = piecesOf(lines.slice(0, box.from))
  const { text, subject } = wordsIn(pieces, screen.columns)
  // The first screen shows a logo where answers are later.
  const shown = { ...facts(box), ...(text !== undefined && /\p{L}/u.test(text) ? { text } : {}) }
  if (works(box))
    return { state: 'working', ...shown, ...(subject === undefined ? {} : { subject }), ...retrying(box) }
  const error = errorAtEnd(lines.slice(0, box.from), screen.columns)
  return error === undefined ? { state: 'idle', ...shown } : { state: 'error', ...shown, error }
}

/** Squares move below the box while it works, or three dots stand there for who wants no movement. */
function works({ hints }: Box): boolean {
  return /^(?:[■⬝]{4,}|\[⋯\])/.test(hints)
}

/** It tries again by itself, and says why. */
function retrying({ hints }: Box): { subject?: string } {
  const [, message] = /^\S+ (\S.*?) \[retrying /.exec(hints) ?? []
  return message === undefined ? {} : { subject: message }
}

function facts({ input, agent, model }: Box): Pick<ScreenState, 'input' | 'shell' | 'mode' | 'model'> {
  return {
    input,
    ...(agent === 'Shell' ? { shell: true as const } : {}),
    ...(agent === '' || agent === 'Shell' ? {} : { mode: modes[agent] ?? agent }),
    ...(model === '' ? {} : { model }),
  }
}

/** Other agents are the user's own and are shown by their names. */
const modes: Readonly<Record<string, Mode>> = { Build: 'default', Plan: 'plan' }

/** A failure stands behind a bar between what was done last and the line that ends the turn, which tells no time then. */
function errorAtEnd(lines: readonly string[], width: number): string | undefined {
  const pieces = piecesOf(lines)
  const end = pieces.at(-1)
  const told = pieces.at(-2)
  if (end?.barred !== false || !/^ {5}▣ {2}[^·]+ · [^·]+$/.test(end.lines.at(-1) ?? '')) return undefined
  // The first piece of a turn is what the person said.
  if (!told?.barred || pieces.length < 3 || isEnd(pieces.at(-3)?.lines.at(-1))) return undefined
  const words = withoutMargins(told.lines.map((line) => line.replace(/^ {2}/, '')))
  return /^[$#←→⚙] /.test(words[0] ?? '$ ') ? undefined : unwrapped(words, width - 8)
}

function isEnd(line: string | undefined): boolean {
  return /^ {5}▣ /.test(line ?? '')
}

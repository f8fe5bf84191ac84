import { unwrapped } from '../../dialects/screen-text.ts'
import type { Piece } from './terminal-layout.ts'

/** Blocks with these prefixes are tool activity, not an answer. */
const sign = /^ {5}(?:[⠁-⣿▣$→←%⚙✱◈│#↳◉⟳~✓+] |↳|ctrl\+x )/

/**
 * Reads the answer of the last turn, and its current activity or thought.
 *
 * @example readAnswer(splitPieces(lines), 120) // { text: 'Hello' }
 */
export function readAnswer(pieces: readonly Piece[], width: number): { text?: string; subject?: string } {
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

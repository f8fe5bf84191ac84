import { unwrapped } from '../../dialects/screen-text.ts'
import type { Piece } from './terminal-layout.ts'

/** What begins with these is no answer but a sign of what is done. */
const sign = /^ {5}(?:[⠁-⣿▣$→←%⚙✱◈│#↳◉⟳~✓+] |↳|ctrl\+x )/

/**
 * The words of the last turn, and what it does or thinks about.
 *
 * @example wordsIn(piecesOf(lines), 120) // { text: 'Hello' }
 */
export function wordsIn(pieces: readonly Piece[], width: number): { text?: string; subject?: string } {
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

/** A person's words, unless they wait for their turn; what tools put out begins with what was called. */
function isPrompt({ barred, lines }: Piece): boolean {
  const words = lines.map((line) => line.trim()).filter((line) => line !== '')
  return barred && words.length > 0 && !/^[$#] /.test(words[0]!) && words.at(-1) !== 'QUEUED'
}

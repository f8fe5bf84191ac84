import { textOf } from '@remora/protocol/plain'
import { type Row, endsTurn } from './rows.ts'

/**
 * What stands on the agent's screen, unless it is written down already: for a moment, or for as long as a tool runs, both
 * are there. A screen wraps words and draws marks in its own way, so letters and digits alone are compared.
 *
 * @example unwritten('It is **done**', rows)
 */
export function unwritten(text: string | undefined, rows: readonly Row[]): string | undefined {
  const letters = lettersOf(text ?? '')
  return letters !== '' && writtenInTurn(rows).includes(letters) ? undefined : text
}

const written = new WeakMap<readonly Row[], string>()

function writtenInTurn(rows: readonly Row[]): string {
  const known = written.get(rows)
  if (known !== undefined) return known
  const prompt = rows.findLastIndex(endsTurn)
  const letters = lettersOf(
    rows
      .slice(prompt + 1)
      .map(({ message }) => textOf(message))
      .join('\n'),
  )
  written.set(rows, letters)
  return letters
}

function lettersOf(text: string): string {
  return text.replaceAll(/[^\p{L}\p{N}]+/gu, '')
}

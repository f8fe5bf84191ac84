import { textOf } from '@remora/protocol/plain'
import type { Row } from './rows.ts'

/** So many of the last messages may have what stands on the screen: also those before a prompt that it has not shown yet. */
const recent = 8

/**
 * What stands on the agent's screen, unless it is written down already: for a moment, or for as long as a tool runs, both
 * are there. A screen wraps words and draws marks in its own way, so letters and digits alone are compared.
 *
 * @example unwritten('It is **done**', rows)
 */
export function unwritten(text: string | undefined, rows: readonly Row[]): string | undefined {
  const letters = lettersOf(text ?? '')
  return letters !== '' && writtenIn(rows).includes(letters) ? undefined : text
}

const written = new WeakMap<readonly Row[], string>()

function writtenIn(rows: readonly Row[]): string {
  let letters = written.get(rows)
  if (letters === undefined) {
    const said = rows.slice(-recent).filter(({ message }) => message.role === 'assistant')
    letters = lettersOf(said.map(({ message }) => textOf(message)).join('\n'))
    written.set(rows, letters)
  }
  return letters
}

function lettersOf(text: string): string {
  return text.replaceAll(/[^\p{L}\p{N}]+/gu, '')
}

import { textOf } from '@remora/protocol/plain'
import type { Row } from './rows.ts'

/** So many of the last messages may have what stands on the screen: also those before a prompt that it has not shown yet. */
const recent = 8
/** A line of so many letters is known again; a shorter one may be anywhere. */
const telling = 12

/**
 * What stands on the agent's screen and is not written down yet: for a moment, or for as long as a tool runs, both are
 * there. Above a line that is written all is older. A screen wraps words and draws marks in its own way, so letters and
 * digits alone are compared.
 *
 * @example getUnsavedText('It is **done**', rows)
 */
export function getUnsavedText(text: string | undefined, rows: readonly Row[]): string | undefined {
  const letters = stripToLetters(text ?? '')
  if (text === undefined || letters === '') return text
  const written = writtenIn(rows)
  if (written.includes(letters)) return undefined
  const lines = text.split('\n')
  const last = lines.findLastIndex((line) => {
    const own = stripToLetters(line)
    return own.length >= telling && written.includes(own)
  })
  return lines.slice(last + 1).join('\n') || undefined
}

const known = new WeakMap<readonly Row[], string>()

function writtenIn(rows: readonly Row[]): string {
  let letters = known.get(rows)
  if (letters === undefined) {
    const said = rows.slice(-recent).filter(({ message }) => message.role === 'assistant')
    letters = stripToLetters(said.map(({ message }) => textOf(message)).join('\n'))
    known.set(rows, letters)
  }
  return letters
}

function stripToLetters(text: string): string {
  return text.replaceAll(/[^\p{L}\p{N}]+/gu, '')
}

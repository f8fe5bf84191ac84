import { getMessageText } from '@remora/protocol/plain'
import type { Row } from './rows.ts'

/** How many recent messages are compared with the screen, including those before a prompt it does not show yet. */
const recent = 8
/** A shorter line may match anywhere. */
const minLetters = 12

/**
 * Returns the part of the agent's screen that is not in the transcript yet. Everything above a line that is in the
 * transcript is older. The screen wraps and decorates text, so only letters and digits are compared.
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
    return own.length >= minLetters && written.includes(own)
  })
  return lines.slice(last + 1).join('\n') || undefined
}

const known = new WeakMap<readonly Row[], string>()

function writtenIn(rows: readonly Row[]): string {
  let letters = known.get(rows)
  if (letters === undefined) {
    const answers = rows.slice(-recent).filter(({ message }) => message.role === 'assistant')
    letters = stripToLetters(answers.map(({ message }) => getMessageText(message)).join('\n'))
    known.set(rows, letters)
  }
  return letters
}

function stripToLetters(text: string): string {
  return text.replaceAll(/[^\p{L}\p{N}]+/gu, '')
}

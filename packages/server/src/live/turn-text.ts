import type { TerminalNow } from '@remora/sdk/terminal'

/**
 * Finds the answer under way on the screen. A screen that has not drawn the new prompt yet still shows the answer to the
 * prompt before, which must not be taken for the new one.
 */
export class TurnText {
  #shown = ''
  /** The answer of the turn before, while nothing else was seen. */
  #previous = ''
  #isWorking = false

  /** The text of the turn under way, if the screen shows some. */
  read({ state, text }: Pick<TerminalNow, 'state' | 'text'>): string | undefined {
    const isWorking = state === 'working' || state === 'asking'
    if (isWorking && !this.#isWorking) this.#previous = getLetters(this.#shown)
    this.#isWorking = isWorking
    if (text === undefined) return undefined
    this.#shown = text
    if (!isWorking || this.#previous.includes(getLetters(text))) return undefined
    this.#previous = ''
    return text
  }
}

/** A line of this many letters is recognised. A shorter one may occur anywhere. */
const distinctive = 12

/**
 * The end of the text on a screen that no written text has. A screen wraps lines and renders markup, so only letters and
 * digits are compared.
 *
 * @example cutWritten('I will look at it.\nNow the tests', ['I *will* look at it.']) // 'Now the tests'
 */
export function cutWritten(text: string, written: readonly string[]): string {
  const known = getLetters(written.join('\n'))
  const lines = text.split('\n')
  const last = lines.findLastIndex((line) => {
    const letters = getLetters(line)
    return letters.length >= distinctive && known.includes(letters)
  })
  const rest = lines
    .slice(last + 1)
    .join('\n')
    .trim()
  return known !== '' && known.includes(getLetters(rest)) ? '' : rest
}

function getLetters(text: string): string {
  return text.replaceAll(/[^\p{L}\p{N}]+/gu, '')
}

/** A piece of terminal output in one style. */
export interface AnsiPiece {
  readonly text: string
  readonly style: string
}

const escape = '\u001B'
// Colours, and every other sequence that a terminal would not print.
const sequence =
  // oxlint-disable-next-line no-control-regex
  /\u001B\[([\d;:]*)m|\u001B\[[\d;:?<=>]*[ -/]*[@-~]|\u001B\][^\u0007\u001B]*(?:\u0007|\u001B\\)?|\u001B[PX^_][^\u001B]*(?:\u001B\\)?|\u001B[ -/]*[0-~]|[\u0000-\u0008\u000B\u000C\u000E-\u001A\u007F]/g

/** The supported colours of the eight; others use the text colour. */
const colours: Readonly<Record<number, string>> = {
  1: 'text-bad',
  2: 'text-good',
  3: 'text-warn',
  4: 'text-code-function',
  5: 'text-code-keyword',
  6: 'text-accent',
}

/**
 * The visible text in pieces. Cursor movements are dropped.
 *
 * @example parseAnsi('\u001B[31mno\u001B[0m!') // [{ text: 'no', style: 'text-bad' }, { text: '!', style: '' }]
 */
export function parseAnsi(output: string): AnsiPiece[] {
  const text = lastOfEachLine(output)
  if (!text.includes(escape)) return [{ text: text.replace(sequence, ''), style: '' }]
  const pieces: AnsiPiece[] = []
  let colour = ''
  let isBold = false
  let isDim = false
  let from = 0
  const put = (piece: string): void => {
    if (piece === '') return
    const style = [colour || (isDim ? 'text-dim' : ''), isBold ? 'font-semibold' : '']
      .filter(Boolean)
      .join(' ')
    const last = pieces.at(-1)
    if (last?.style === style) pieces[pieces.length - 1] = { text: last.text + piece, style }
    else pieces.push({ text: piece, style })
  }
  for (const match of text.matchAll(sequence)) {
    put(text.slice(from, match.index))
    from = match.index + match[0].length
    if (match[1] === undefined) continue
    const codes = match[1].split(/[;:]/).map(Number)
    for (let index = 0; index < codes.length; index++) {
      const code = codes[index]!
      if (code === 0) [colour, isBold, isDim] = ['', false, false]
      else if (code === 1) isBold = true
      else if (code === 2) isDim = true
      else if (code === 22) [isBold, isDim] = [false, false]
      else if (code === 39) colour = ''
      else if (code === 90) colour = 'text-dim'
      else if (code >= 30 && code <= 37) colour = colours[code - 30] ?? ''
      else if (code >= 91 && code <= 97) colour = colours[code - 90] ?? ''
      // A 256-colour or RGB value with its parameters.
      else if (code === 38 || code === 48) index += codes[index + 1] === 5 ? 2 : 4
    }
  }
  put(text.slice(from))
  return pieces
}

/** Progress bars overwrite their line; only the last version counts. */
function lastOfEachLine(output: string): string {
  if (!output.includes('\r')) return output
  return output
    .replaceAll('\r\n', '\n')
    .split('\n')
    .map((line) => {
      const trimmed = line.replace(/\r+$/, '')
      return trimmed.slice(trimmed.lastIndexOf('\r') + 1)
    })
    .join('\n')
}

/** The visible text without styles. */
export function stripAnsi(output: string): string {
  return lastOfEachLine(output).replace(sequence, '')
}

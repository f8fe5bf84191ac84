import { renderUnicodeCompact } from 'uqr'

/**
 * A code that a phone's camera reads off the terminal. Dark on light whatever the terminal's colours are, since not
 * every camera reads it the other way round.
 *
 * @example io.out(qrCode('https://192.168.1.20:7717/#pair=K7QM-2F9P', true))
 */
export function qrCode(text: string, coloured: boolean): string {
  const lines = renderUnicodeCompact(text, { border: 2 }).split('\n')
  const [on, off] = coloured ? ['\u001B[97;40m', '\u001B[39;49m'] : ['', '']
  return lines.map((line) => `  ${on}${line}${off}\n`).join('')
}

import { renderUnicodeCompact } from 'uqr'

/**
 * A QR code for the terminal. Always dark on light, because not every camera reads inverted codes.
 *
 * @example io.out(qrCode('https://192.168.1.20:7717/#pair=K7QM-2F9P', true))
 */
export function qrCode(text: string, coloured: boolean): string {
  const lines = renderUnicodeCompact(text, { border: 2 }).split('\n')
  const [on, off] = coloured ? ['\u001B[97;40m', '\u001B[39;49m'] : ['', '']
  return lines.map((line) => `  ${on}${line}${off}\n`).join('')
}

/** Modes that an agent may have set: mouse, focus, paste, keyboard protocols, scroll region, cursor. */
const resetModes = [
  '\u001B[?1000l\u001B[?1002l\u001B[?1003l\u001B[?1006l\u001B[?1004l\u001B[?2004l\u001B[?2026l\u001B[?1l\u001B>',
  '\u001B[<u\u001B[>4;0m\u001B[?6l\u001B[?7h\u001B[m\u001B[?25h',
].join('')

/**
 * The output that returns a terminal to the user: what they see next is below everything that the agent has drawn. To
 * reset the scroll region moves the cursor to the first row.
 *
 * @example output.write(leaveWindow({ rows: output.rows, isAlternate: false }))
 */
export function leaveWindow({ rows, isAlternate }: { rows: number; isAlternate: boolean }): string {
  // To leave the alternate screen restores the cursor, but only from there.
  if (isAlternate) return `${resetModes}\u001B[r\u001B[?1049l\r\n`
  return `${resetModes}\u001B[r\u001B[${rows};1H\r\n`
}

/** Whether the output of a program has switched to the alternate screen. */
export class AlternateScreen {
  isShown = false
  /** The end of the last output, which may be the begin of a sequence. */
  #rest = ''

  read(bytes: Buffer): void {
    // Most output has no such sequence, and the search is cheap.
    if (this.#rest === '' && !bytes.includes(escape)) return
    const text = this.#rest + bytes.toString('latin1')
    for (const [, end] of text.matchAll(switches)) this.isShown = end === 'h'
    const last = text.lastIndexOf('\u001B')
    const tail = last === -1 ? '' : text.slice(last)
    this.#rest = tail.length < longest ? tail : ''
  }
}

const escape = 0x1b
const longest = 32
// oxlint-disable-next-line no-control-regex
const switches = /\u001B\[\?(?:\d+;)*(?:47|1047|1049)(?:;\d+)*([hl])/g

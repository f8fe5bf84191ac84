import { RemoraError } from '@remora/protocol/plain'

/** Receives the messages of a tmux control client. */
export interface ControlHandler {
  /** A command's answer starts. Returns its number of lines, if known. */
  begin(flags: string): number | undefined
  /** The whole answer of one command. */
  reply(flags: string, ok: boolean, lines: string[]): void
  output(pane: string, bytes: Buffer): void
  /** Everything else. @example notice('window-close', '@3') */
  notice(name: string, rest: string): void
}

interface Block {
  readonly guard: string
  readonly flags: string
  readonly lines: string[]
  /** So many lines belong to the answer, whatever they look like. */
  readonly literal: number
}

/** Far above the length of any line that tmux writes. */
const maxLineBytes = 16 * 1024 * 1024

/**
 * Reads the protocol of `tmux -C`. Chunks may be cut anywhere, also within a character.
 *
 * @example stdout.on('data', (chunk) => parser.push(chunk))
 */
export class ControlParser {
  readonly #handler: ControlHandler
  /** Only output of this pane is decoded, since a session may have many. */
  readonly #pane: string | undefined
  #rest: Buffer[] = []
  #restSize = 0
  #block: Block | undefined

  constructor(handler: ControlHandler, pane?: string) {
    this.#handler = handler
    this.#pane = pane
  }

  push(chunk: Buffer): void {
    let start = 0
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      let line = chunk.subarray(start, end)
      if (this.#restSize > 0) {
        line = Buffer.concat([...this.#rest, line])
        this.#rest = []
        this.#restSize = 0
      }
      start = end + 1
      this.#line(line)
    }
    if (start === chunk.length) return
    this.#rest.push(chunk.subarray(start))
    this.#restSize += chunk.length - start
    if (this.#restSize > maxLineBytes) {
      throw new RemoraError('unknown', 'tmux wrote a line without end')
    }
  }

  #line(line: Buffer): void {
    if (this.#block) {
      this.#inBlock(this.#block, line)
      return
    }
    if (line[0] !== percent) return
    const space = line.indexOf(32)
    const name = line.toString('latin1', 1, space === -1 ? line.length : space)
    const rest = space === -1 ? line.subarray(line.length) : line.subarray(space + 1)
    if (name === 'output' || name === 'extended-output') {
      this.#output(rest, name === 'extended-output')
    } else if (name === 'begin') {
      const guard = rest.toString('latin1')
      const flags = guard.split(' ')[2] ?? '0'
      this.#block = { guard, flags, lines: [], literal: this.#handler.begin(flags) ?? 0 }
    } else {
      this.#handler.notice(name, rest.toString('utf8'))
    }
  }

  // A screen may show text that looks like the end of an answer. So the end must repeat the numbers of the start, and
  // if the number of lines is known, those lines are not checked.
  #inBlock(block: Block, line: Buffer): void {
    const text = line.toString('utf8')
    if (block.lines.length >= block.literal) {
      const ok = text === `%end ${block.guard}`
      if (ok || text === `%error ${block.guard}`) {
        this.#block = undefined
        this.#handler.reply(block.flags, ok, block.lines)
        return
      }
    }
    block.lines.push(text)
  }

  #output(rest: Buffer, extended: boolean): void {
    const space = rest.indexOf(32)
    if (space === -1) return
    const pane = rest.toString('latin1', 0, space)
    if (this.#pane !== undefined && pane !== this.#pane) return
    // `%extended-output %1 <age> … : data`; newer versions may add fields before the colon.
    const data = extended ? rest.indexOf(' : ', space) + 3 : space + 1
    if (extended && data === 2) return
    this.#handler.output(pane, unescape(rest.subarray(data)))
  }
}

const percent = 37
const backslash = 92

/** Decodes `\ooo` to one byte. */
function unescape(bytes: Buffer): Buffer {
  let from = bytes.indexOf(backslash)
  if (from === -1) return Buffer.from(bytes)
  const result = Buffer.allocUnsafe(bytes.length)
  let size = bytes.copy(result, 0, 0, from)
  for (; from < bytes.length; from++) {
    const byte = bytes[from]!
    if (byte === backslash && from + 3 < bytes.length) {
      result[size++] = ((bytes[from + 1]! & 7) << 6) | ((bytes[from + 2]! & 7) << 3) | (bytes[from + 3]! & 7)
      from += 3
    } else {
      result[size++] = byte
    }
  }
  return result.subarray(0, size)
}

import type { Io } from '../command/io.ts'
import { cutTo } from './text-width.ts'

const afterMs = 300
const everyMs = 80

/** A progress line on standard error for long work. Nothing is printed into a pipe. */
export class Progress {
  readonly #io: Io
  readonly #begun = Date.now()
  #last = 0
  #shown = false

  constructor(io: Io) {
    this.#io = io
  }

  /** @example progress.update('Reading sessions', 0.4, '12 of 30 files') */
  update(what: string, part: number, detail: string): void {
    const now = Date.now()
    if (!this.#io.errorTerminal || now - this.#begun < afterMs || now - this.#last < everyMs) return
    this.#last = now
    this.#shown = true
    const percent = `${Math.floor(Math.min(1, Math.max(0, part)) * 100)} %`
    eraseLine(this.#io)
    this.#io.err(cutTo(`${what}  ${percent}  ${detail}`, (this.#io.columns ?? 80) - 1))
  }

  /** Erases the line. */
  clear(): void {
    if (this.#shown) eraseLine(this.#io)
    this.#shown = false
  }
}

/** Erases the current line on standard error. */
export function eraseLine(io: Io): void {
  if (io.eraseLine) io.eraseLine()
  else io.err('\r\u001B[K')
}

import type { Writer } from './printer.ts'

/** Writes whole lines, each behind the name of whose it is, so that several can share one output. */
export class LabelledWriter implements Writer {
  readonly #prefix: string
  readonly #writer: Writer
  readonly #rest = { out: '', err: '' }

  /** @example new LabelledWriter('gemini │ ', io) */
  constructor(prefix: string, writer: Writer) {
    this.#prefix = prefix
    this.#writer = writer
  }

  out(text: string): void {
    this.#write('out', text)
  }

  err(text: string): void {
    this.#write('err', text)
  }

  /** Writes what has no line end. */
  end(): void {
    for (const where of ['out', 'err'] as const) if (this.#rest[where] !== '') this.#write(where, '\n')
  }

  #write(where: 'out' | 'err', text: string): void {
    if (!text.includes('\n')) {
      this.#rest[where] += text
      return
    }
    const lines = (this.#rest[where] + text).split('\n')
    this.#rest[where] = lines.pop()!
    this.#writer[where](lines.map((line) => `${this.#prefix}${line}\n`).join(''))
  }
}

/** Lines per request. */
export const pageLines = 1_000

/** The lines of a file, some of which are not loaded yet. */
export class Lines {
  readonly total: number
  readonly #lines: (string | undefined)[]
  readonly #asked = new Set<number>()

  constructor(total: number) {
    // A wrong total must not exhaust the memory.
    this.total = Math.max(0, Math.min(total, 20_000_000))
    this.#lines = []
  }

  /** Stores lines from a line number, counted from 1. */
  put(from: number, text: string): void {
    this.#asked.delete(from)
    const came = text.split('\n')
    for (const [index, line] of came.entries()) {
      const place = from - 1 + index
      if (place < this.total) this.#lines[place] ??= line
    }
  }

  /** The lines of a range; undefined if one is missing. */
  range(from: number, count: number): string[] | undefined {
    const end = Math.min(from - 1 + count, this.total)
    const lines: string[] = []
    for (let place = from - 1; place < end; place++) {
      const line = this.#lines[place]
      if (line === undefined) return undefined
      lines.push(line)
    }
    return lines
  }

  /** The next line to request for a range; undefined if it is loaded or requested. */
  wanted(from: number, count: number): number | undefined {
    const end = Math.min(from - 1 + count, this.total)
    for (let place = from - 1; place < end; place++) {
      if (this.#lines[place] !== undefined) continue
      const page = place - (place % pageLines)
      const start = (this.#lines[page] === undefined ? page : place) + 1
      if (this.#asked.has(start)) return undefined
      this.#asked.add(start)
      return start
    }
    return undefined
  }

  /** Marks a request as failed, so that it can be repeated. */
  failed(from: number): void {
    this.#asked.delete(from)
  }
}

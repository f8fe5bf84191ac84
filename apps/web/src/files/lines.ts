/** So many are asked for at once. */
export const pageLines = 1_000

/** The lines of a file, of which some are not here yet. */
export class Lines {
  readonly total: number
  readonly #lines: (string | undefined)[]
  readonly #asked = new Set<number>()

  constructor(total: number) {
    // A number that an answer has made up must not take the memory.
    this.total = Math.max(0, Math.min(total, 20_000_000))
    this.#lines = []
  }

  /** Takes what came for a place, counted from 1. */
  put(from: number, text: string): void {
    this.#asked.delete(from)
    const came = text.split('\n')
    for (const [index, line] of came.entries()) {
      const place = from - 1 + index
      if (place < this.total) this.#lines[place] ??= line
    }
  }

  /** Those of a range, or undefined if one is missing. */
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

  /** Where to ask on, so that a range comes; undefined if it is here, or was asked for. */
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

  /** It did not come, and may be asked for again. */
  failed(from: number): void {
    this.#asked.delete(from)
  }
}

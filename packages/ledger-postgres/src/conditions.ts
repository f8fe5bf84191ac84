/** Builds the conditions of a query with optional filters, and numbers its parameters. */
export class Conditions {
  readonly #texts: string[] = []
  readonly parameters: unknown[] = []

  get where(): string {
    return this.#texts.length === 0 ? '' : `WHERE ${this.#texts.join(' AND ')}`
  }

  /** Continues an existing WHERE clause. */
  get and(): string {
    return this.#texts.map((text) => `AND ${text}`).join(' ')
  }

  /** Adds a parameter and returns its placeholder. @example `LIMIT ${conditions.place(20)}` */
  place(value: unknown): string {
    this.parameters.push(value)
    return `$${this.parameters.length}`
  }

  /** Each `?` stands for one parameter, in order. */
  add(text: string, ...parameters: unknown[]): void {
    const [first, ...rest] = text.split('?')
    this.#texts.push(
      rest.reduce((whole, part, index) => whole + this.place(parameters[index]) + part, first!),
    )
  }

  /** Adds a condition if the value is set. */
  addIf(value: unknown, text: string): void {
    if (value === undefined) return
    const place = this.place(value)
    this.#texts.push(text.replaceAll('?', place))
  }

  /** Matches this folder and those below it. */
  addFolder(folder: string | undefined, column: string): void {
    if (folder === undefined) return
    const bare = folder.replace(/[/\\]+$/, '')
    const [exact, below] = [this.place([folder, bare]), this.place(bare)]
    this.#texts.push(
      `(${column} = ANY(${exact}::text[]) OR starts_with(${column}, ${below}::text || '/')
        OR starts_with(${column}, ${below}::text || '\\'))`,
    )
  }
}

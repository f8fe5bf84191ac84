/** Collects the conditions of a query whose filters are optional, and numbers its parameters. */
export class Conditions {
  readonly #texts: string[] = []
  readonly parameters: unknown[] = []

  get where(): string {
    return this.#texts.length === 0 ? '' : `WHERE ${this.#texts.join(' AND ')}`
  }

  /** To go on where there are conditions already. */
  get and(): string {
    return this.#texts.map((text) => `AND ${text}`).join(' ')
  }

  /** A parameter of its own, as the text of the query names it. @example `LIMIT ${conditions.place(20)}` */
  place(value: unknown): string {
    this.parameters.push(value)
    return `$${this.parameters.length}`
  }

  /** Every `?` stands for one of the parameters, in their order. */
  add(text: string, ...parameters: unknown[]): void {
    const [first, ...rest] = text.split('?')
    this.#texts.push(
      rest.reduce((whole, part, index) => whole + this.place(parameters[index]) + part, first!),
    )
  }

  /** A condition on a value that may not have been asked for. */
  addIf(value: unknown, text: string): void {
    if (value === undefined) return
    const place = this.place(value)
    this.#texts.push(text.replaceAll('?', place))
  }

  /** This folder, or one below it. */
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

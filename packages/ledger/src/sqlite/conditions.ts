import type { SqliteValue } from '@remora/sqlite'

/** Builds the conditions of a query with optional filters. */
export class Conditions {
  readonly #texts: string[] = []
  readonly parameters: SqliteValue[] = []

  get where(): string {
    return this.#texts.length === 0 ? '' : `WHERE ${this.#texts.join(' AND ')}`
  }

  /** Continues an existing WHERE clause. */
  get and(): string {
    return this.#texts.map((text) => `AND ${text}`).join(' ')
  }

  add(text: string, ...parameters: SqliteValue[]): void {
    this.#texts.push(text)
    this.parameters.push(...parameters)
  }

  /** Adds a condition if the value is set; `times` is how often the text uses it. */
  addIf(value: SqliteValue | undefined, text: string, times = 1): void {
    if (value !== undefined) this.add(text, ...Array<SqliteValue>(times).fill(value))
  }

  /** Matches this folder and those below it. */
  addFolder(folder: string | undefined, column: string): void {
    if (folder === undefined) return
    const bare = folder.replace(/[/\\]+$/, '')
    this.add(
      `(${column} IN (?, ?) OR substr(${column}, 1, length(?) + 1) IN (? || '/', ? || '\\'))`,
      folder,
      bare,
      bare,
      bare,
      bare,
    )
  }
}

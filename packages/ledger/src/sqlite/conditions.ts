import type { SqliteValue } from '@remora/sqlite'

/** Collects the conditions of a query whose filters are optional. */
export class Conditions {
  readonly #texts: string[] = []
  readonly parameters: SqliteValue[] = []

  get where(): string {
    return this.#texts.length === 0 ? '' : `WHERE ${this.#texts.join(' AND ')}`
  }

  /** To go on where there are conditions already. */
  get and(): string {
    return this.#texts.map((text) => `AND ${text}`).join(' ')
  }

  add(text: string, ...parameters: SqliteValue[]): void {
    this.#texts.push(text)
    this.parameters.push(...parameters)
  }

  /** A condition on a value that may not have been asked for; `times` is how often it stands in the text. */
  addIf(value: SqliteValue | undefined, text: string, times = 1): void {
    if (value !== undefined) this.add(text, ...Array<SqliteValue>(times).fill(value))
  }

  /** This folder, or one below it. */
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

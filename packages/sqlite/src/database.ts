/** The values that both drivers can bind. Neither accepts a boolean, and only one accepts undefined. */
export type SqliteValue = null | number | bigint | string | Uint8Array

/** A prepared statement. */
export interface SqliteStatement<Row = unknown> {
  get(...parameters: readonly SqliteValue[]): Row | undefined
  all(...parameters: readonly SqliteValue[]): Row[]
  iterate(...parameters: readonly SqliteValue[]): IterableIterator<Row>
  /** Only for statements that return no rows. */
  run(...parameters: readonly SqliteValue[]): {
    readonly changes: number
    readonly lastInsertRowid: number | bigint
  }
}

/** The interface of a driver. */
export interface NativeDatabase {
  prepare(sql: string): SqliteStatement
  exec(sql: string): unknown
  pragma(text: string): readonly object[]
  backup(target: string): Promise<unknown>
  close(): unknown
}

/** When a transaction takes its locks. */
export type TransactionMode = 'deferred' | 'immediate' | 'exclusive'

/** One connection to a database file. `getSqliteCode` returns the code of an error it throws. */
export class SqliteDatabase {
  readonly #native: NativeDatabase
  readonly #control = new Map<string, SqliteStatement>()
  #isOpen = true
  #inTransaction = false

  constructor(native: NativeDatabase) {
    this.#native = native
  }

  get isOpen(): boolean {
    return this.#isOpen
  }

  /** Whether `transaction` is running. */
  get inTransaction(): boolean {
    return this.#inTransaction
  }

  prepare<Row>(sql: string): SqliteStatement<Row> {
    return this.#native.prepare(sql) as SqliteStatement<Row>
  }

  /** Runs statements that return nothing. */
  exec(sql: string): void {
    this.#native.exec(sql)
  }

  /** Runs a pragma to its end and returns the first value of its result. @example database.pragma('user_version') */
  pragma(text: string): SqliteValue | undefined {
    const [row] = this.#native.pragma(text)
    return row && (Object.values(row)[0] as SqliteValue)
  }

  /** Commits what `work` did, or undoes it if `work` or the commit throws. */
  transaction<T>(mode: TransactionMode, work: () => T): T {
    this.#run(`BEGIN ${mode}`)
    this.#inTransaction = true
    try {
      const result = work()
      this.#run('COMMIT')
      return result
    } catch (error) {
      this.#rollBack()
      throw error
    } finally {
      this.#inTransaction = false
    }
  }

  /** Copies the whole database into a file that is empty or does not exist, while others write. */
  async backup(target: string): Promise<void> {
    await this.#native.backup(target)
  }

  close(): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    this.#native.close()
  }

  #run(sql: string): void {
    let statement = this.#control.get(sql)
    if (!statement) this.#control.set(sql, (statement = this.#native.prepare(sql)))
    statement.run()
  }

  #rollBack(): void {
    try {
      this.#run('ROLLBACK')
    } catch {
      // SQLite has rolled back by itself, as it does when the disk is full, or `work` has closed the database.
    }
  }
}

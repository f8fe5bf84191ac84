import { setTimeout as sleep } from 'node:timers/promises'
import { RemoraError } from '@remora/protocol/plain'
import { type SqliteDatabase, type SqliteStatement, type SqliteValue, getSqliteCode } from '@remora/sqlite'
import { explain } from './failure.ts'

/** How long a writer waits for other processes. */
const busyTimeoutMs = 30_000

/** The one connection of a ledger. It caches statements and waits for other writers. */
export class Connection {
  readonly database: SqliteDatabase
  readonly file: string
  onWrite = (): void => {}
  readonly #statements = new Map<string, SqliteStatement>()

  constructor(database: SqliteDatabase, file: string) {
    this.database = database
    this.file = file
  }

  /** Prepares a statement once per text. */
  statement<Row>(sql: string): SqliteStatement<Row> {
    let statement = this.#statements.get(sql)
    if (!statement) this.#statements.set(sql, (statement = this.database.prepare(sql)))
    return statement as SqliteStatement<Row>
  }

  all<Row>(sql: string, ...parameters: readonly SqliteValue[]): Row[] {
    return this.read(() => this.statement<Row>(sql).all(...parameters))
  }

  get<Row>(sql: string, ...parameters: readonly SqliteValue[]): Row | undefined {
    return this.read(() => this.statement<Row>(sql).get(...parameters))
  }

  /** A value of the table meta. */
  readMeta<T>(name: string): T | undefined {
    return this.get<{ value: T }>('SELECT value FROM meta WHERE name = ?', name)?.value
  }

  writeMeta(name: string, value: SqliteValue): void {
    this.statement('UPDATE meta SET value = ? WHERE name = ?').run(value, name)
  }

  /** Runs reads on one snapshot. */
  read<T>(work: () => T): T {
    this.#checkOpen()
    try {
      return this.database.inTransaction ? work() : this.database.transaction('deferred', work)
    } catch (error) {
      throw explain(error, this.file)
    }
  }

  /**
   * Runs one write transaction. SQLite's own wait blocks the event loop, so it is short and the rest of the waiting is
   * done here. Without `notify`, readers that wait for changes are not woken.
   */
  async write<T>(work: () => T, { notify = true } = {}): Promise<T> {
    const until = Date.now() + busyTimeoutMs
    for (;;) {
      this.#checkOpen()
      try {
        const result = this.database.transaction('immediate', work)
        if (notify) this.onWrite()
        return result
      } catch (error) {
        const busy = getSqliteCode(error) === 'SQLITE_BUSY'
        if (!busy || Date.now() > until) throw explain(error, this.file)
      }
      await sleep(5 + Math.random() * 20)
    }
  }

  #checkOpen(): void {
    if (!this.database.isOpen) throw new RemoraError('usage', `The ledger ${this.file} has been closed`)
  }
}

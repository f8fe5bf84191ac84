import { Bell } from '@remora/ledger/engine'
import type { Connection } from './connection.ts'
import { Line } from './line.ts'

/** Others are heard through the database. */
export class DatabaseBell extends Bell {
  readonly #connection: Connection
  #line: Line | undefined

  constructor(connection: Connection) {
    super()
    this.#connection = connection
  }

  protected hear(): void {
    this.#line ??= new Line(this.#connection, () => this.ring())
    this.#line.ref()
  }

  protected rest(): void {
    this.#line?.unref()
  }

  protected leave(): void {
    this.#line?.close()
    this.#line = undefined
  }
}

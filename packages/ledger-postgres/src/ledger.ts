import type { Cursor, EventRecord } from '@remora/protocol/plain'
import type {
  AppendOptions,
  CallCountsQuery,
  CallsQuery,
  IndexOptions,
  Ledger,
  MonthStore,
  ReadQuery,
  SearchQuery,
  SessionKey,
  SessionNotes,
  SessionsQuery,
  TailQuery,
  UsageQuery,
} from '@remora/ledger'
import { createLazyMoveStore, tailPages } from '@remora/ledger/internal'
import { Appender } from './append.ts'
import { createAskStore } from './asks.ts'
import { createAuditLog } from './audit.ts'
import { PostgresChangeNotifier } from './change-notifier.ts'
import type { Clock } from './clock.ts'
import { createCommandStore } from './commands.ts'
import type { Connection } from './connection.ts'
import { createLeaseStore } from './leases.ts'
import { readMarks } from './marks.ts'
import { createNodeStore } from './nodes.ts'
import { readPage, readStoredHead } from './read.ts'
import { Spool } from './spool.ts'
import { annotateSession, archiveSessions, findSession, listSessions } from './sessions.ts'
import { isOffline, isTransient } from './failure.ts'

// Rarely used files are loaded on demand, as in SQLite.
const maintenance = () => import('./maintain.ts')

/** A ledger in a PostgreSQL database. */
export class PostgresLedger implements Ledger {
  readonly epoch: string
  readonly asks
  readonly commands
  readonly leases
  readonly audit
  readonly months
  readonly moving
  readonly nodes
  readonly node: string | undefined
  readonly #connection: Connection
  readonly #appender: Appender
  readonly #notifier: PostgresChangeNotifier
  readonly #clock: Clock
  readonly #closed = new AbortController()
  readonly #spool: Spool | undefined
  /** The highest number that this process has stored. */
  #stored = 0

  constructor(connection: Connection, clock: Clock, spool?: string) {
    this.#connection = connection
    this.#appender = new Appender(connection)
    this.#notifier = new PostgresChangeNotifier(connection)
    this.#clock = clock
    this.epoch = connection.epoch
    this.node = connection.node
    connection.onWrite = () => this.#notifier.notify()
    this.asks = createAskStore(connection, clock)
    this.commands = createCommandStore(connection)
    this.leases = createLeaseStore(connection, clock)
    this.audit = createAuditLog(connection, clock)
    this.moving = createLazyMoveStore(async () =>
      (await import('./move-store.ts')).createMoveStore(connection),
    )
    this.months = createLazyMonthStore(async () =>
      (await import('./month-store.ts')).createMonthStore(connection, clock),
    )
    this.nodes = createNodeStore(connection, clock)
    if (spool !== undefined)
      this.#spool = new Spool({ folder: spool, store: (records) => this.#store(records, {}), isOffline })
  }

  async head(): Promise<Cursor> {
    return this.#cursor(await readStoredHead(this.#connection))
  }

  async append(records: readonly EventRecord[], options: AppendOptions = {}) {
    // The sender repeats an append with a mark or a lease. Any other append would be lost, so it is spooled.
    if (!this.#spool || options.marks || options.lease) return this.#store(records, options)
    const { added } = await this.#spool.append(records)
    return { added, cursor: this.#cursor(this.#stored) }
  }

  async #store(records: readonly EventRecord[], options: AppendOptions) {
    const { added, head } = await this.#appender.append(records, options)
    this.#stored = Math.max(this.#stored, head)
    return { added, cursor: this.#cursor(head) }
  }

  read(query: ReadQuery = {}) {
    return readPage(this.#connection, query)
  }

  tail({ signal, ...query }: TailQuery) {
    const either = AbortSignal.any([signal, this.#closed.signal])
    return tailPages(
      this.#notifier,
      (query) => readPage(this.#connection, query),
      { ...query, signal: either },
      isTransient,
    )
  }

  async changed(signal: AbortSignal): Promise<void> {
    if (!this.#closed.signal.aborted) await this.#notifier.next(signal)
  }

  sessions(query: SessionsQuery = {}) {
    return listSessions(this.#connection, query)
  }

  session(key: SessionKey) {
    return findSession(this.#connection, key)
  }

  annotate(key: SessionKey, notes: SessionNotes): Promise<boolean> {
    return annotateSession(this.#connection, key, notes)
  }

  archive(keys: readonly SessionKey[], at: number | null): Promise<void> {
    return archiveSessions(this.#connection, keys, at)
  }

  async forget(key: SessionKey): Promise<boolean> {
    const { forgetSession } = await maintenance()
    return forgetSession(this.#connection, key, this.#clock)
  }

  async usage(query: UsageQuery = {}) {
    const { sumUsage } = await import('./usage.ts')
    return sumUsage(this.#connection, query)
  }

  async calls(query: CallsQuery = {}) {
    const { listCalls } = await import('./calls.ts')
    return listCalls(this.#connection, query)
  }

  async countCalls(query: CallCountsQuery = {}) {
    const { countCalls } = await import('./calls.ts')
    return countCalls(this.#connection, query)
  }

  async search(query: SearchQuery) {
    const { search } = await import('./search.ts')
    return search(this.#connection, query)
  }

  async indexText(options: IndexOptions = {}) {
    const { indexText } = await import('./index-text.ts')
    return indexText(this.#connection, options)
  }

  marks(prefix: string): Promise<Map<string, unknown>> {
    return readMarks(this.#connection, prefix)
  }

  async size() {
    const { measure } = await maintenance()
    return measure(this.#connection)
  }

  async backup(target: string): Promise<void> {
    const { copyLedger } = await import('./copy-ledger.ts')
    await copyLedger(this, target)
  }

  async prune(options: { readonly before: number; readonly dryRun?: boolean }) {
    const { pruneSessions } = await maintenance()
    return pruneSessions(this.#connection, options)
  }

  async close(): Promise<void> {
    await this.#spool?.close()
    await this.#appender.settle()
    this.#closed.abort()
    this.#notifier.stop()
    this.#notifier.notify()
    await this.#connection.close()
  }

  #cursor(seq: number): Cursor {
    return { epoch: this.epoch, seq }
  }
}

/** Loads the module of the store on first use, since few commands need it. */
function createLazyMonthStore(load: () => Promise<MonthStore>): MonthStore {
  return {
    list: async (endedMs) => (await load()).list(endedMs),
    read: async (month, after) => (await load()).read(month, after),
    note: async (archive, sessions) => (await load()).note(archive, sessions),
    detach: async (month) => (await load()).detach(month),
    drop: async (archive) => (await load()).drop(archive),
    archives: async (session) => (await load()).archives(session),
  }
}

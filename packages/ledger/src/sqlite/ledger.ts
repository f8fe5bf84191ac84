import type { Cursor, EventRecord } from '@remora/protocol/plain'
import type {
  AppendOptions,
  Appended,
  CallCount,
  CallCountsQuery,
  CallEntry,
  CallsQuery,
  IndexOptions,
  IndexProgress,
  Ledger,
  LedgerSize,
  Page,
  Pruned,
  ReadQuery,
  SearchHit,
  SearchQuery,
  SessionEntry,
  SessionKey,
  SessionNotes,
  SessionsQuery,
  TailQuery,
  UsageEntry,
  UsageQuery,
} from '../ledger.ts'
import { Appender } from './append.ts'
import { askStore } from './asks.ts'
import { commandStore } from './commands.ts'
import type { Connection } from './connection.ts'
import { leaseStore } from './leases.ts'
import { readHead, readPage } from './read.ts'
import { annotateSession, archiveSessions, findSession, listSessions } from './sessions.ts'
import { Bell, tailPages } from './tail.ts'
import { sumUsage } from './usage.ts'

// Each file costs about a millisecond to load: what few commands need is loaded by those.
const maintenance = () => import('./maintain.ts')

/** A ledger in one SQLite file. */
export class SqliteLedger implements Ledger {
  readonly epoch: string
  readonly asks
  readonly commands
  readonly leases
  readonly #connection: Connection
  readonly #appender: Appender
  readonly #bell: Bell
  readonly #now: () => number
  readonly #closed = new AbortController()

  constructor(connection: Connection, now: () => number) {
    this.#connection = connection
    this.#appender = new Appender(connection)
    this.#bell = new Bell(connection)
    this.#now = now
    this.epoch = connection.get<{ value: string }>(`SELECT value FROM meta WHERE name = 'epoch'`)!.value
    this.asks = askStore(connection)
    this.commands = commandStore(connection)
    this.leases = leaseStore(connection, now)
  }

  async head(): Promise<Cursor> {
    return this.#cursor(readHead(this.#connection))
  }

  async append(records: readonly EventRecord[], options: AppendOptions = {}): Promise<Appended> {
    const { added, head } = await this.#connection.write(() => this.#appender.append(records, options))
    if (added > 0) this.#bell.ring()
    return { added, cursor: this.#cursor(head) }
  }

  async read(query: ReadQuery = {}): Promise<Page> {
    return readPage(this.#connection, this.epoch, query)
  }

  tail({ signal, ...query }: TailQuery): AsyncIterable<Page> {
    const either = AbortSignal.any([signal, this.#closed.signal])
    const read = (query: ReadQuery) => readPage(this.#connection, this.epoch, query)
    return tailPages(this.#bell, read, { ...query, signal: either })
  }

  async sessions(query: SessionsQuery = {}): Promise<SessionEntry[]> {
    return listSessions(this.#connection, query)
  }

  async session(key: SessionKey): Promise<SessionEntry | undefined> {
    return findSession(this.#connection, key)
  }

  async annotate(key: SessionKey, notes: SessionNotes): Promise<boolean> {
    return this.#connection.write(() => annotateSession(this.#connection, key, notes))
  }

  async archive(keys: readonly SessionKey[], at: number | null): Promise<void> {
    await this.#connection.write(() => archiveSessions(this.#connection, keys, at))
  }

  async forget(key: SessionKey): Promise<boolean> {
    const { forgetSession } = await maintenance()
    return forgetSession(this.#connection, key, this.#now(), () => this.#appender.reset())
  }

  async usage(query: UsageQuery = {}): Promise<UsageEntry[]> {
    return sumUsage(this.#connection, query)
  }

  async calls(query: CallsQuery = {}): Promise<CallEntry[]> {
    const { listCalls } = await import('./calls.ts')
    return listCalls(this.#connection, query)
  }

  async countCalls(query: CallCountsQuery = {}): Promise<CallCount[]> {
    const { countCalls } = await import('./calls.ts')
    return countCalls(this.#connection, query)
  }

  async search(query: SearchQuery): Promise<SearchHit[]> {
    const { search } = await import('./search.ts')
    return search(this.#connection, query)
  }

  async indexText(options: IndexOptions = {}): Promise<IndexProgress> {
    const { indexText } = await import('./index-text.ts')
    return indexText(this.#connection, options)
  }

  async marks(prefix: string): Promise<Map<string, unknown>> {
    const rows = this.#connection.all<{ name: string; value: string }>(
      'SELECT name, value FROM marks WHERE name >= ? AND substr(name, 1, length(?)) = ? ORDER BY name',
      prefix,
      prefix,
      prefix,
    )
    return new Map(rows.map(({ name, value }) => [name, JSON.parse(value) as unknown]))
  }

  async size(): Promise<LedgerSize> {
    const { measure } = await maintenance()
    return measure(this.#connection)
  }

  async backup(file: string): Promise<void> {
    const { backup } = await maintenance()
    await backup(this.#connection, file)
  }

  async prune(options: { readonly before: number; readonly dryRun?: boolean }): Promise<Pruned> {
    const { pruneSessions } = await maintenance()
    return pruneSessions(this.#connection, options, () => this.#appender.reset())
  }

  async close(): Promise<void> {
    this.#closed.abort()
    this.#connection.database.close()
  }

  #cursor(seq: number): Cursor {
    return { epoch: this.epoch, seq }
  }
}

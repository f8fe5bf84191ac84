import { type Cursor, type EventRecord, RemoraError } from '@remora/protocol/plain'
import type {
  ArchiveLabel,
  AppendOptions,
  CallCountsQuery,
  CallsQuery,
  IndexOptions,
  Ledger,
  ReadQuery,
  SearchQuery,
  SessionKey,
  SessionNotes,
  SessionsQuery,
  TailQuery,
  UsageQuery,
} from '../model/ledger.ts'
import { createLazyMoveStore } from '../rows/move-rows.ts'
import { toMarkName } from '../rows/mark-name.ts'
import { Appender } from './append.ts'
import { createAskStore } from './asks.ts'
import { createAuditLog } from './audit.ts'
import { createCommandStore } from './commands.ts'
import type { Connection } from './connection.ts'
import { Flusher } from './flush.ts'
import { createLeaseStore } from './leases.ts'
import { createNodeStore } from './nodes.ts'
import { readHead, readPage } from './read.ts'
import { annotateSession, archiveSessions, findSession, listSessions } from './sessions.ts'
import { FileChangeNotifier } from './change-notifier.ts'
import { tailPages } from '../model/tail-pages.ts'
import { sumUsage } from './usage.ts'

// Each file takes about a millisecond to load, so rarely used ones are loaded on demand.
const maintenance = () => import('./maintain.ts')

export interface SqliteOptions {
  readonly node?: string | undefined
  /** Opens it for writing as the archive of this month. */
  readonly archiveOf?: ArchiveLabel | undefined
}

/** A ledger in one SQLite file. */
export class SqliteLedger implements Ledger {
  readonly epoch: string
  readonly asks
  readonly commands
  readonly leases
  readonly audit
  readonly moving
  readonly nodes
  readonly node: string | undefined
  readonly archiveOf: ArchiveLabel | undefined
  /** Whether this process may write to the archive. */
  readonly #isWritableArchive: boolean
  readonly #connection: Connection
  readonly #appender: Appender
  readonly #notifier: FileChangeNotifier
  readonly #flusher: Flusher
  readonly #now: () => number
  readonly #closed = new AbortController()

  constructor(connection: Connection, now: () => number, { node, archiveOf }: SqliteOptions = {}) {
    this.#connection = connection
    this.archiveOf = readArchiveLabel(connection, archiveOf)
    this.#isWritableArchive = archiveOf !== undefined
    this.node = node
    this.#appender = new Appender(connection, node)
    this.#notifier = new FileChangeNotifier(connection)
    this.#flusher = new Flusher(connection)
    this.#now = now
    this.epoch = connection.readMeta<string>('epoch')!
    connection.onWrite = () => {
      this.#notifier.notify()
      this.#flusher.schedule()
    }
    this.asks = createAskStore(connection, now)
    this.commands = createCommandStore(connection)
    this.leases = createLeaseStore(connection, now)
    this.audit = createAuditLog(connection, now)
    this.moving = createLazyMoveStore(async () => {
      const { createMoveStore } = await import('./move-store.ts')
      return createMoveStore(connection, () => this.#appender.reset())
    })
    this.nodes = createNodeStore(connection, now)
  }

  async head(): Promise<Cursor> {
    return this.#cursor(readHead(this.#connection))
  }

  async append(records: readonly EventRecord[], options: AppendOptions = {}) {
    if (this.archiveOf && !this.#isWritableArchive)
      throw createArchiveError(this.archiveOf, this.#connection.file)
    const { added, head } = await this.#connection.write(() => this.#appender.append(records, options))
    return { added, cursor: this.#cursor(head) }
  }

  async read(query: ReadQuery = {}) {
    return readPage(this.#connection, this.epoch, query)
  }

  tail({ signal, ...query }: TailQuery) {
    const either = AbortSignal.any([signal, this.#closed.signal])
    const read = (query: ReadQuery) => readPage(this.#connection, this.epoch, query)
    return tailPages(this.#notifier, read, { ...query, signal: either })
  }

  async changed(signal: AbortSignal): Promise<void> {
    // Not `AbortSignal.any`: this runs for every change, and each combined signal would stay in memory.
    if (!this.#closed.signal.aborted) await this.#notifier.next(signal)
  }

  async sessions(query: SessionsQuery = {}) {
    return listSessions(this.#connection, query)
  }

  async session(key: SessionKey) {
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

  async usage(query: UsageQuery = {}) {
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

  async marks(prefix: string): Promise<Map<string, unknown>> {
    const own = toMarkName(this.node, prefix)
    const rows = this.#connection.all<{ name: string; value: string }>(
      // The upper bound keeps a lookup of one mark from reading all that follow it.
      `SELECT name, value FROM marks
       WHERE name >= ? AND name < ? || char(1114111) AND substr(name, 1, length(?)) = ? ORDER BY name`,
      own,
      own,
      own,
      own,
    )
    const before = own.length - prefix.length
    return new Map(rows.map(({ name, value }) => [name.slice(before), JSON.parse(value) as unknown]))
  }

  async size() {
    const { measure } = await maintenance()
    return measure(this.#connection)
  }

  async backup(file: string): Promise<void> {
    const { backup } = await maintenance()
    await backup(this.#connection, file)
  }

  async prune(options: { readonly before: number; readonly dryRun?: boolean }) {
    const { pruneSessions } = await maintenance()
    return pruneSessions(this.#connection, options, () => this.#appender.reset())
  }

  async close(): Promise<void> {
    this.#closed.abort()
    this.#notifier.stop()
    this.#notifier.notify()
    this.#flusher.close()
    this.#connection.database.close()
  }

  #cursor(seq: number): Cursor {
    return { epoch: this.epoch, seq }
  }
}

/**
 * The month that the file is an archive of, if any. An empty file becomes the wanted archive; anything else is refused.
 */
function readArchiveLabel(connection: Connection, wanted?: ArchiveLabel): ArchiveLabel | undefined {
  const found = connection.readMeta<string>('archive')
  const label = found === undefined ? undefined : (JSON.parse(found) as ArchiveLabel)
  if (!wanted) return label
  if (label?.epoch === wanted.epoch && label.month === wanted.month) return label
  if (label || readHead(connection) > 0)
    throw new RemoraError('conflict', `This file is another ledger: ${connection.file}`, {
      hint: 'Choose another folder, or move it away first.',
    })
  const { epoch, month } = wanted
  connection
    .statement(`INSERT INTO meta (name, value) VALUES ('archive', ?)`)
    .run(JSON.stringify({ epoch, month }))
  return wanted
}

/** An archive was compared with its source when it was created, so nothing may be added later. */
function createArchiveError({ month }: ArchiveLabel, file: string): RemoraError {
  return new RemoraError('unsupported', `${file} is an archive of ${month}: nothing is added to it`, {
    hint: 'You can read it with remora sessions, remora show and remora search. For anything else use the original ledger.',
  })
}

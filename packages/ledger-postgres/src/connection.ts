import { createHash } from 'node:crypto'
import type { Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { RemoraError } from '@remora/protocol/plain'
import type { Client, Pool, PoolClient, QueryConfig, QueryResultRow } from 'pg'
import { type Address, describeAddress } from './config.ts'
import { explain, isOffline, isConflict } from './failure.ts'
import { waitForFlush } from './flush.ts'
import { encodeParameter } from './parameters.ts'

/** What a query may be asked of: the pool, or one transaction. Parameters are $1, $2 and so on. */
export interface Queries {
  all<Row>(sql: string, ...parameters: readonly unknown[]): Promise<Row[]>
  get<Row>(sql: string, ...parameters: readonly unknown[]): Promise<Row | undefined>
  /** How many rows it changed. */
  run(sql: string, ...parameters: readonly unknown[]): Promise<number>
}

export interface WriteOptions {
  /** False for a change that no reader waits for, such as an update of derived data. */
  readonly notify?: boolean
}

/** How a transaction ends: statements that are sent together with its end, and what comes of them. */
export interface TransactionEnd<T> {
  readonly statements: readonly (readonly [sql: string, ...parameters: unknown[]])[]
  /** Whether anything was changed: if not, nobody hears of it. */
  readonly changed: boolean
  /** The first row of each statement is given. */
  result(rows: readonly unknown[]): T
}

/** A writer whom another one stood in the way tries again so often. */
const tries = 8

/** How long closing waits for what goes on. */
export const closeMs = 1000

/** The connections of a ledger: single queries, snapshots and transactions. */
export class Connection implements Queries {
  readonly pool: Pool
  readonly address: Address
  /** The host and the database, in words for a person. */
  readonly where: string
  /** Of this ledger: set once it is known. */
  epoch = ''
  /** The machine that this process writes for, where several share the ledger. */
  node: string | undefined
  /** Tells this process apart where it hears of its own changes. */
  writer = newName()
  /** How often a connection was lost. Behind a new one there may be a copy that misses the last of what was stored. */
  losses = 0
  /** Called after every write. */
  onWrite = (): void => {}
  readonly #running = new Set<Promise<unknown>>()
  readonly #lent = new Set<PoolClient>()
  #closed = false

  constructor(pool: Pool, address: Address) {
    this.pool = pool
    this.address = address
    this.where = describeAddress(address)
    // A connection that is lost while nobody uses it is taken out of the pool; whoever comes next gets another.
    pool.on('error', () => this.losses++)
  }

  all<Row>(sql: string, ...parameters: readonly unknown[]): Promise<Row[]> {
    return this.#again(() => this.#lend((client) => createQueries(client).all<Row>(sql, ...parameters)))
  }

  get<Row>(sql: string, ...parameters: readonly unknown[]): Promise<Row | undefined> {
    return this.#again(() => this.#lend((client) => createQueries(client).get<Row>(sql, ...parameters)))
  }

  /** As `all`, of a query that tells what is `unflushed` (flush.ts): all that it saw is on the disk before this gives it. */
  onDisk<Row extends { readonly unflushed: string | null }>(
    sql: string,
    ...parameters: readonly unknown[]
  ): Promise<Row[]> {
    return this.#again(() =>
      this.#lend(async (client) => {
        const queries = createQueries(client)
        const rows = await queries.all<Row>(sql, ...parameters)
        await waitForFlush(queries, rows[0]?.unflushed ?? null)
        return rows
      }),
    )
  }

  /** One statement that changes something nobody waits for; everything else is a `write`. */
  run(sql: string, ...parameters: readonly unknown[]): Promise<number> {
    return this.#lend((client) => createQueries(client).run(sql, ...parameters))
  }

  /** Several queries that see the same state of everything. */
  read<T>(work: (queries: Queries) => Promise<T>): Promise<T> {
    return this.#again(() =>
      this.#lend((client) =>
        transact(client, 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY', async (queries) => {
          const value = await work(queries)
          return { statements: [], changed: true, result: () => value }
        }),
      ),
    )
  }

  /**
   * One transaction. Each of its statements sees what others have committed before it. It is done again where another
   * one stood in the way, so it must do nothing but query. All who listen hear of it.
   */
  write<T>(work: (queries: Queries) => Promise<T>, { notify = true }: WriteOptions = {}): Promise<T> {
    return this.finish(async (queries) => {
      const value = await work(queries)
      const statements = notify ? [this.notice()] : []
      return { statements, changed: true, result: () => value }
    }, notify)
  }

  /**
   * The same, where the last statements do not wait for each other: the locks that they take are held for as long as the
   * database itself needs, and not for the way to it and back.
   */
  async finish<T>(work: (queries: Queries) => Promise<TransactionEnd<T>>, notify = true): Promise<T> {
    let lost = false
    for (let turn = 1; ; turn++) {
      let ending: TransactionEnd<T> | undefined
      try {
        const value = await this.#lend((client) =>
          transact(client, 'BEGIN', async (queries) => (ending = await work(queries))),
        )
        if (ending!.changed && notify) this.onWrite()
        return value
      } catch (error) {
        // A connection that was lost while it lay idle is not the fault of who got it; but whether one that was lost at
        // the end has stored everything, nobody knows.
        const again = isConflict(error) ? turn < tries : isOffline(error) && !ending && !lost
        if (!again || this.#closed) throw error
        lost ||= isOffline(error)
      }
      await sleep(Math.random() * 20 * turn)
    }
  }

  /** One statement that needs no words for its beginning and its end. */
  async call<Row>(sql: string, ...parameters: readonly unknown[]): Promise<Row | undefined> {
    for (let turn = 1; ; turn++) {
      try {
        return await this.#lend((client) => createQueries(client).get<Row>(sql, ...parameters))
      } catch (error) {
        if (!isConflict(error) || turn === tries || this.#closed) throw error
      }
      await sleep(Math.random() * 20 * turn)
    }
  }

  /** The statement that tells all who listen of a change, and how far the numbers go now. */
  notice(): readonly [sql: string, ...parameters: unknown[]] {
    return [
      `SELECT seq, pg_notify($1, $2 || ' ' || seq)::text FROM head`,
      getNotifyChannel(this.epoch),
      this.writer,
    ]
  }

  /** What goes on has a moment to end by itself; then the connections are cut. */
  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    const ended = this.pool.end.bind(this.pool)
    await Promise.race([Promise.allSettled(this.#running), sleep(closeMs, undefined, { ref: false })])
    // One that is in use is cut, and its query fails.
    for (const client of this.#lent) void (client as unknown as Client).end().catch(() => {})
    await Promise.race([ended(), sleep(closeMs, undefined, { ref: false })])
  }

  /** Once more, for what only reads: the connection may have been lost while it lay idle. */
  async #again<T>(ask: () => Promise<T>): Promise<T> {
    try {
      return await ask()
    } catch (error) {
      if (!isOffline(error) || this.#closed) throw error
      return ask()
    }
  }

  #lend<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    const running = this.#use(work)
    this.#running.add(running)
    const done = (): void => void this.#running.delete(running)
    running.then(done, done)
    return running
  }

  async #use<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    if (this.#closed) throw new RemoraError('usage', `The ledger in ${this.where} has been closed`)
    let client: PoolClient | undefined
    let lost = false
    try {
      client = await this.pool.connect()
      this.#lent.add(client)
      return await work(client)
    } catch (error) {
      lost = isOffline(error)
      if (lost) {
        this.losses++
        // What was on its way may be stored all the same: then this process has to hear of it like any other.
        this.writer = newName()
      }
      throw explain(error, this.address)
    } finally {
      if (client) this.#lent.delete(client)
      client?.release(lost)
    }
  }
}

async function transact<T>(
  client: PoolClient,
  begin: string,
  work: (queries: Queries) => Promise<TransactionEnd<T>>,
): Promise<T> {
  try {
    together(client)
    // Not waited for: it goes out together with the first query.
    const [, { statements, result }] = await Promise.all([client.query(begin), work(createQueries(client))])
    together(client)
    // All are made ready before any is sent: one that could not be made would be missing in what is committed.
    const ready = statements.map(([sql, ...parameters]) => toQueryConfig(sql, parameters))
    const rows = ready.map(async (query) => (await client.query<QueryResultRow>(query)).rows[0] as unknown)
    // After a statement that failed this undoes everything, and the failure is the statement's.
    const ended = client.query('COMMIT')
    const [first] = await Promise.all([Promise.all(rows), ended])
    return result(first)
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {})
    throw error
  }
}

function newName(): string {
  return Math.random().toString(36).slice(2)
}

/** Sends what is asked at once in one piece: to send is the most of the work that a small query makes here. */
function together(client: PoolClient): void {
  const { stream } = (client as unknown as { connection: { stream: Writable } }).connection
  stream.cork()
  setImmediate(() => stream.uncork())
}

/** The name of the channel on which a ledger tells of its changes. */
export function getNotifyChannel(epoch: string): string {
  return `remora ${epoch}`
}

/** The queries of one connection. */
export function createQueries(client: Pick<PoolClient, 'query'>): Queries {
  const ask = async (sql: string, parameters: readonly unknown[]) =>
    client.query<QueryResultRow>(toQueryConfig(sql, parameters))
  return {
    async all<Row>(sql: string, ...parameters: readonly unknown[]) {
      return (await ask(sql, parameters)).rows as Row[]
    },
    async get<Row>(sql: string, ...parameters: readonly unknown[]) {
      return (await ask(sql, parameters)).rows[0] as Row | undefined
    },
    async run(sql: string, ...parameters: readonly unknown[]) {
      return (await ask(sql, parameters)).rowCount ?? 0
    },
  }
}

function toQueryConfig(sql: string, parameters: readonly unknown[]): QueryConfig {
  const query = { text: sql, values: parameters.map(encodeParameter) }
  const name = getStatementName(sql)
  return name === undefined ? query : { ...query, name }
}

const statementNames = new Map<string, string>()
/** Queries with optional filters have many texts. Once this many have a name, new ones are planned on every use. */
const maxNamedStatements = 300
/** Statements that define tables run once and need no name. */
const repeatable = /^\s*(?:SELECT|INSERT|UPDATE|DELETE|WITH|CALL)\b/

/**
 * The name of a prepared statement, so that a connection plans it once. It is a hash of the text: behind a pooler two
 * processes share a connection, and a name must never mean another process's statement.
 */
export function getStatementName(sql: string): string | undefined {
  let name = statementNames.get(sql)
  if (name === undefined && statementNames.size < maxNamedStatements && repeatable.test(sql)) {
    name = `remora_${createHash('sha256').update(sql).digest('hex').slice(0, 32)}`
    statementNames.set(sql, name)
  }
  return name
}

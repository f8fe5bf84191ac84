import { createHash } from 'node:crypto'
import type { Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { RemoraError } from '@remora/protocol/plain'
import type { Client, Pool, PoolClient, QueryConfig, QueryResultRow } from 'pg'
import { type Address, describeAddress } from './config.ts'
import { explain, isOffline, isConflict } from './failure.ts'
import { waitForFlush } from './flush.ts'
import { encodeParameter } from './parameters.ts'

/** Runs queries on the pool or in one transaction. Parameters are $1, $2 and so on. */
export interface Queries {
  all<Row>(sql: string, ...parameters: readonly unknown[]): Promise<Row[]>
  get<Row>(sql: string, ...parameters: readonly unknown[]): Promise<Row | undefined>
  /** Returns the number of changed rows. */
  run(sql: string, ...parameters: readonly unknown[]): Promise<number>
}

interface WriteOptions {
  /** False for a change that no reader waits for, such as an update of derived data. */
  readonly notify?: boolean
}

/** The end of a transaction: statements that are sent together with the commit, and their result. */
export interface TransactionEnd<T> {
  readonly statements: readonly (readonly [sql: string, ...parameters: unknown[]])[]
  /** Whether anything was changed. If not, readers are not notified. */
  readonly changed: boolean
  /** Receives the first row of each statement. */
  result(rows: readonly unknown[]): T
}

/** The number of attempts after conflicts with other writers. */
const maxAttempts = 8

/** How long closing waits for running queries. */
export const closeMs = 1000

/** The connections of a ledger: single queries, snapshots and transactions. */
export class Connection implements Queries {
  readonly pool: Pool
  readonly address: Address
  /** The host and the database, for people. */
  readonly where: string
  /** The epoch of this ledger, set when it is opened. */
  epoch = ''
  /** The machine that this process writes for, if several share the ledger. */
  node: string | undefined
  /** Identifies this process in notifications, so that it ignores its own. */
  writer = createWriterName()
  /** The number of lost connections. A new connection may reach a standby that lacks the latest events. */
  losses = 0
  onWrite = (): void => {}
  readonly #running = new Set<Promise<unknown>>()
  readonly #inUse = new Set<PoolClient>()
  #closed = false

  constructor(pool: Pool, address: Address) {
    this.pool = pool
    this.address = address
    this.where = describeAddress(address)
    // The pool removes a connection that is lost while idle.
    pool.on('error', () => this.losses++)
  }

  all<Row>(sql: string, ...parameters: readonly unknown[]): Promise<Row[]> {
    return this.#retryOnce(() =>
      this.#withClient((client) => createQueries(client).all<Row>(sql, ...parameters)),
    )
  }

  get<Row>(sql: string, ...parameters: readonly unknown[]): Promise<Row | undefined> {
    return this.#retryOnce(() =>
      this.#withClient((client) => createQueries(client).get<Row>(sql, ...parameters)),
    )
  }

  /** Like `all`, for a query that selects `unflushed` (flush.ts): returns after everything it saw is flushed. */
  allFlushed<Row extends { readonly unflushed: string | null }>(
    sql: string,
    ...parameters: readonly unknown[]
  ): Promise<Row[]> {
    return this.#retryOnce(() =>
      this.#withClient(async (client) => {
        const queries = createQueries(client)
        const rows = await queries.all<Row>(sql, ...parameters)
        await waitForFlush(queries, rows[0]?.unflushed ?? null)
        return rows
      }),
    )
  }

  /** Runs one statement whose change no reader waits for; all other changes use `write`. */
  run(sql: string, ...parameters: readonly unknown[]): Promise<number> {
    return this.#withClient((client) => createQueries(client).run(sql, ...parameters))
  }

  /** Runs several queries on one snapshot. */
  read<T>(work: (queries: Queries) => Promise<T>): Promise<T> {
    return this.#retryOnce(() =>
      this.#withClient((client) =>
        transact(client, 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY', async (queries) => {
          const value = await work(queries)
          return { statements: [], changed: true, result: () => value }
        }),
      ),
    )
  }

  /**
   * Runs one transaction and notifies readers. Each statement sees what was committed before it. The transaction is
   * retried after conflicts, so `work` must only run queries.
   */
  write<T>(work: (queries: Queries) => Promise<T>, { notify = true }: WriteOptions = {}): Promise<T> {
    return this.finish(async (queries) => {
      const value = await work(queries)
      const statements = notify ? [this.buildNotify()] : []
      return { statements, changed: true, result: () => value }
    }, notify)
  }

  /**
   * Like `write`, but sends the last statements together with the commit, so that their locks are not held during a
   * round trip.
   */
  async finish<T>(work: (queries: Queries) => Promise<TransactionEnd<T>>, notify = true): Promise<T> {
    let lost = false
    for (let attempt = 1; ; attempt++) {
      let ending: TransactionEnd<T> | undefined
      try {
        const value = await this.#withClient((client) =>
          transact(client, 'BEGIN', async (queries) => (ending = await work(queries))),
        )
        if (ending!.changed && notify) this.onWrite()
        return value
      } catch (error) {
        // An idle connection may have been lost before this transaction used it, so that is retried. If it was lost at
        // the end, the transaction may have been committed.
        const canRetry = isConflict(error) ? attempt < maxAttempts : isOffline(error) && !ending && !lost
        if (!canRetry || this.#closed) throw error
        lost ||= isOffline(error)
      }
      await sleep(Math.random() * 20 * attempt)
    }
  }

  /** Runs one statement without an explicit transaction. */
  async call<Row>(sql: string, ...parameters: readonly unknown[]): Promise<Row | undefined> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#withClient((client) => createQueries(client).get<Row>(sql, ...parameters))
      } catch (error) {
        if (!isConflict(error) || attempt === maxAttempts || this.#closed) throw error
      }
      await sleep(Math.random() * 20 * attempt)
    }
  }

  /** The statement that notifies readers of a change, with the present head. */
  buildNotify(): readonly [sql: string, ...parameters: unknown[]] {
    return [
      `SELECT seq, pg_notify($1, $2 || ' ' || seq)::text FROM head`,
      getNotifyChannel(this.epoch),
      this.writer,
    ]
  }

  /** Gives running queries a moment to end, then closes the connections. */
  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    const ended = this.pool.end.bind(this.pool)
    await Promise.race([Promise.allSettled(this.#running), sleep(closeMs, undefined, { ref: false })])
    // Closes connections in use; their queries fail.
    for (const client of this.#inUse) void (client as unknown as Client).end().catch(() => {})
    await Promise.race([ended(), sleep(closeMs, undefined, { ref: false })])
  }

  /** Retries a read once, since the connection may have been lost while idle. */
  async #retryOnce<T>(ask: () => Promise<T>): Promise<T> {
    try {
      return await ask()
    } catch (error) {
      if (!isOffline(error) || this.#closed) throw error
      return ask()
    }
  }

  #withClient<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    const running = this.#runWithClient(work)
    this.#running.add(running)
    const done = (): void => void this.#running.delete(running)
    running.then(done, done)
    return running
  }

  async #runWithClient<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    if (this.#closed) throw new RemoraError('usage', `The ledger in ${this.where} has been closed`)
    let client: PoolClient | undefined
    let lost = false
    try {
      client = await this.pool.connect()
      this.#inUse.add(client)
      return await work(client)
    } catch (error) {
      lost = isOffline(error)
      if (lost) {
        this.losses++
        // Pending writes may have been committed. With a new name, this process handles their notifications like those
        // of others.
        this.writer = createWriterName()
      }
      throw explain(error, this.address)
    } finally {
      if (client) this.#inUse.delete(client)
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
    corkUntilNextTurn(client)
    // Not awaited: it is sent together with the first query.
    const [, { statements, result }] = await Promise.all([client.query(begin), work(createQueries(client))])
    corkUntilNextTurn(client)
    // Prepares all statements before sending any: one that cannot be encoded must not be missing from what is
    // committed.
    const ready = statements.map(([sql, ...parameters]) => toQueryConfig(sql, parameters))
    const rows = ready.map(async (query) => (await client.query<QueryResultRow>(query)).rows[0] as unknown)
    // After a failed statement, COMMIT rolls back, and the statement's error is thrown.
    const ended = client.query('COMMIT')
    const [first] = await Promise.all([Promise.all(rows), ended])
    return result(first)
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {})
    throw error
  }
}

function createWriterName(): string {
  return Math.random().toString(36).slice(2)
}

/** Sends queries of the same attempt in one packet, since sending is most of the work of a small query. */
function corkUntilNextTurn(client: PoolClient): void {
  const { stream } = (client as unknown as { connection: { stream: Writable } }).connection
  stream.cork()
  setImmediate(() => stream.uncork())
}

export function getNotifyChannel(epoch: string): string {
  return `remora ${epoch}`
}

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

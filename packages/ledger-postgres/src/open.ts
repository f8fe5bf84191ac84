import { RemoraError } from '@remora/protocol/plain'
import type { PoolClient } from 'pg'
import { type Address, toAddress, createClientConfig, describeAddress } from './config.ts'
import { Connection, createQueries } from './connection.ts'
import { explain } from './failure.ts'
import type { OpenPostgresOptions } from './open-postgres.ts'
import { ledgerMark, schemaVersion } from './schema.ts'

/** Connects to a database, creates the ledger if necessary, and upgrades its schema. */
export async function connect({
  url,
  connections = 4,
}: Pick<OpenPostgresOptions, 'url' | 'connections'>): Promise<Connection> {
  const pg = await import('pg').then(({ default: library }) => library)
  const config = createClientConfig(url)
  const address = toAddress(url, new pg.Client(config))
  const pool = new pg.Pool({ ...config, max: connections, allowExitOnIdle: true })
  // A connection that is lost during a query also emits this event; the query reports the error.
  pool.on('connect', (client) => void client.on('error', () => {}))
  const connection = new Connection(pool, address)
  try {
    connection.epoch = await prepare(pool.connect.bind(pool), address)
    return connection
  } catch (error) {
    await connection.close()
    throw explain(error, address)
  }
}

/** Prepares the schema and returns the epoch. */
async function prepare(borrow: () => Promise<PoolClient>, address: Address): Promise<string> {
  const client = await borrow()
  let done = false
  try {
    if ((await inspect(client, address)) < schemaVersion) await upgrade(client, address)
    const { rows } = await client.query<{ value: string }>(`SELECT value FROM meta WHERE name = 'epoch'`)
    done = true
    return rows[0]!.value
  } finally {
    client.release(!done)
  }
}

async function upgrade(client: PoolClient, address: Address): Promise<void> {
  await client.query('BEGIN')
  await client.query('SET LOCAL statement_timeout = 0')
  await client.query('SET LOCAL lock_timeout = 0')
  // If many processes open a new database, one creates the tables and the others wait.
  await client.query(`SELECT pg_advisory_xact_lock(hashtext('remora schema ' || current_schema()))`)
  if ((await inspect(client, address)) < schemaVersion) {
    const { migrate } = await import('./migrate.ts')
    await migrate(createQueries(client))
  }
  await client.query('COMMIT')
}

/** The schema version of the database; 0 for an empty one. Throws if it is not a ledger or a newer one. */
async function inspect(client: PoolClient, address: Address): Promise<number> {
  const { rows } = await client.query<{
    encoding: string
    schema: string | null
    tables: number
    mark: string | null
  }>(
    `SELECT current_setting('server_encoding') AS encoding, current_schema()::text AS schema,
       (SELECT count(*) FROM pg_class c WHERE c.relnamespace = to_regnamespace(quote_ident(current_schema()))
          AND c.relkind IN ('r', 'p', 'v', 'm')) AS tables,
       obj_description(to_regclass(quote_ident(current_schema()) || '.meta'), 'pg_class') AS mark`,
  )
  const { encoding, schema, tables, mark } = rows[0]!
  const where = describeAddress(address)
  if (schema === null)
    throw new RemoraError('config', `No schema for the ledger: ${where}`, {
      hint: 'Create the schema that search_path names, or use the default search_path.',
    })
  if (encoding !== 'UTF8')
    throw new RemoraError('config', `The database has the encoding ${encoding} instead of UTF8: ${where}`, {
      hint: `Create another one: createdb --encoding=UTF8 --template=template0 ${address.database}`,
    })
  if (mark !== ledgerMark) {
    if (tables === 0) return 0
    throw new RemoraError('config', `The database has other tables, but no ledger: ${where}`, {
      hint: 'Create a separate database for Remora.',
    })
  }
  const found = await client.query<{ value: string }>(`SELECT value FROM meta WHERE name = 'schema'`)
  const version = Number(found.rows[0]?.value ?? 0)
  if (version > schemaVersion)
    throw new RemoraError(
      'unsupported',
      `The ledger in ${where} was written by a newer version of Remora (schema ${version}, this one knows ${schemaVersion})`,
      { hint: 'Update Remora on this machine, or use another database.' },
    )
  return version
}

import { randomUUID } from 'node:crypto'
import type { Database } from 'better-sqlite3'
import type { Kysely, Migration } from 'kysely'
import {
  applicationId,
  auditSchema,
  callsSchema,
  commandChangesSchema,
  nodesSchema,
  schema,
  schemaVersion,
} from './schema.ts'

/** Each step once, in the order of the names. A step that was released is never changed. */
const migrations: Readonly<Record<string, (run: (sql: string) => Promise<void>) => Promise<void>>> = {
  async '0001-first'(run) {
    for (const statement of schema) await run(statement)
    const values = { epoch: randomUUID(), head: 0, indexed: 0 }
    for (const [name, value] of Object.entries(values))
      await run(`INSERT INTO meta VALUES ('${name}', ${typeof value === 'string' ? `'${value}'` : value})`)
  },
  async '0002-calls'(run) {
    for (const statement of callsSchema) await run(statement)
  },
  async '0003-audit'(run) {
    for (const statement of auditSchema) await run(statement)
  },
  async '0004-nodes'(run) {
    for (const statement of nodesSchema) await run(statement)
  },
  async '0005-command-changes'(run) {
    for (const statement of commandChangesSchema) await run(statement)
  },
}

/** Brings the schema up to date. The caller holds the database, so that two processes never do it at once. */
export async function migrate(database: Database): Promise<void> {
  // Loaded here only: it takes longer than all the rest of opening a ledger, and is needed once.
  const { Kysely, Migrator, SqliteDialect, sql } = await import('kysely')
  const db = new Kysely<unknown>({ dialect: new SqliteDialect({ database }) })
  const entries = Object.entries(migrations).map(([name, step]): [string, Migration] => [
    name,
    { up: (db: Kysely<unknown>) => step(async (text) => void (await sql.raw(text).execute(db))) },
  ])
  const migrator = new Migrator({
    db,
    provider: { getMigrations: async () => Object.fromEntries(entries) },
    migrationTableName: 'migrations',
    migrationLockTableName: 'migrations_lock',
    disableTransactions: true,
  })
  const { error } = await migrator.migrateToLatest()
  if (error !== undefined) throw error as Error
  database.pragma(`application_id = ${applicationId}`)
  database.pragma(`user_version = ${schemaVersion}`)
}

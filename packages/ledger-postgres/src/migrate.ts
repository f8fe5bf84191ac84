import { randomUUID } from 'node:crypto'
import { appendSchema } from './append-procedure.ts'
import type { Queries } from './connection.ts'
import { createPartitions } from './partitions.ts'
import {
  archivesSchema,
  auditSchema,
  callsSchema,
  commandChangesSchema,
  nodesSchema,
  schema,
  schemaVersion,
  searchSchema,
  usageSchema,
} from './schema.ts'

/** Each step runs once, in order. Never change a released step. */
const migrations: Readonly<Record<string, (run: (sql: string) => Promise<unknown>) => Promise<void>>> = {
  async '0001-first'(run) {
    for (const part of [schema, nodesSchema, usageSchema, searchSchema, callsSchema, auditSchema])
      for (const statement of part) await run(statement)
    await run(`INSERT INTO meta VALUES ('epoch', '${randomUUID()}')`)
  },
  async '0002-archives'(run) {
    for (const statement of archivesSchema) await run(statement)
  },
  /** The first step created a function for appends, which this one replaces. */
  async '0003-append-without-waiting'(run) {
    for (const statement of appendSchema) await run(statement)
  },
  async '0004-command-changes'(run) {
    for (const statement of commandChangesSchema) await run(statement)
  },
}

/** Upgrades the schema inside the caller's transaction, which holds the lock for opening. */
export async function migrate(queries: Queries): Promise<void> {
  await queries.run(
    'CREATE TABLE IF NOT EXISTS migrations (name TEXT PRIMARY KEY, at TIMESTAMPTZ NOT NULL DEFAULT now())',
  )
  const rows = await queries.all<{ name: string }>('SELECT name FROM migrations')
  const done = new Set(rows.map(({ name }) => name))
  for (const [name, step] of Object.entries(migrations)) {
    if (done.has(name)) continue
    await step((sql) => queries.run(sql))
    await queries.run('INSERT INTO migrations (name) VALUES ($1)', name)
  }
  await queries.run(
    `INSERT INTO meta VALUES ('schema', $1) ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
    String(schemaVersion),
  )
  await createPartitions(queries)
}

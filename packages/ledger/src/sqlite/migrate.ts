import { randomUUID } from 'node:crypto'
import type { SqliteDatabase } from '@remora/sqlite'
import {
  applicationId,
  auditSchema,
  callsSchema,
  commandChangesSchema,
  nodesSchema,
  schema,
  schemaVersion,
} from './schema.ts'

/** Each step runs once, in order. Never change a released step. */
const migrations: Readonly<Record<string, () => readonly string[]>> = {
  '0001-first': () => [
    ...schema,
    `INSERT INTO meta VALUES ('epoch', '${randomUUID()}'), ('head', 0), ('indexed', 0)`,
  ],
  '0002-calls': () => callsSchema,
  '0003-audit': () => auditSchema,
  '0004-nodes': () => nodesSchema,
  '0005-command-changes': () => commandChangesSchema,
}

/** Upgrades the schema inside the caller's exclusive transaction. */
export function migrate(database: SqliteDatabase): void {
  // The columns are those of the migrator that wrote the ledgers of version 0.1.
  database.exec(
    'CREATE TABLE IF NOT EXISTS migrations (name TEXT PRIMARY KEY NOT NULL, timestamp TEXT NOT NULL)',
  )
  const applied = database.prepare<{ name: string }>('SELECT name FROM migrations').all()
  const known = new Set(applied.map(({ name }) => name))
  const record = database.prepare('INSERT INTO migrations (name, timestamp) VALUES (?, ?)')
  for (const [name, createStatements] of Object.entries(migrations)) {
    if (known.has(name)) continue
    for (const statement of createStatements()) database.exec(statement)
    record.run(name, new Date().toISOString())
  }
  database.pragma(`application_id = ${applicationId}`)
  database.pragma(`user_version = ${schemaVersion}`)
}

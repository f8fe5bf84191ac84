import { isBuiltin } from 'node:module'
import type { NativeDatabase, SqliteStatement, SqliteValue } from './database.ts'

/** As much of `node:sqlite` as is used here; the types of Node 20 do not have it. */
interface NodeSqlite {
  readonly DatabaseSync: new (file: string, options: { readonly readOnly: boolean }) => DatabaseSync
  backup(source: DatabaseSync, target: string, options: { readonly rate: number }): Promise<unknown>
}

interface DatabaseSync {
  prepare(sql: string): StatementSync
  exec(sql: string): void
  close(): void
}

interface StatementSync extends Omit<SqliteStatement, 'run'> {
  run(...parameters: readonly SqliteValue[]): {
    readonly changes: number | bigint
    readonly lastInsertRowid: number | bigint
  }
  columns(): readonly unknown[]
  setReadBigInts(enabled: boolean): void
}

/** More pages than a database can have: the copy is one step. */
const allPages = 0x7fff_ffff

/** Whether this Node has an SQLite that we can use. Full text search came with 22.16 and 24.0, and never to 23. */
export function hasNodeSqlite(version = process.versions.node): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return (major >= 24 || (major === 22 && minor >= 16)) && isBuiltin('node:sqlite')
}

export function openWithNode(file: string, { readOnly }: { readonly readOnly: boolean }): NativeDatabase {
  const sqlite = loadNodeSqlite()
  const database = new sqlite.DatabaseSync(file, { readOnly })
  return {
    prepare: (sql) => prepareStatement(database, sql),
    exec: (sql) => database.exec(sql),
    // Some pragmas, such as incremental_vacuum, do one step for each row that is read.
    pragma: (text) => database.prepare(`PRAGMA ${text}`).all() as object[],
    async backup(target) {
      // With a connection of its own, the copy in another thread does not lock this one. As one step it is one snapshot.
      const source = new sqlite.DatabaseSync(file, { readOnly: true })
      try {
        await sqlite.backup(source, target, { rate: allPages })
      } finally {
        source.close()
      }
    },
    close: () => database.close(),
  }
}

/**
 * Node refuses to return a row id above 2 ** 53 as a number. Full text search uses such ids inside, and SQLite reports
 * the last one with every later statement, so that each of them would fail. As big integers they are read anyway.
 */
function prepareStatement(database: DatabaseSync, sql: string): SqliteStatement {
  const statement = database.prepare(sql)
  // A statement that returns rows keeps numbers in them. It is not used with `run`.
  if (statement.columns().length > 0) return statement as SqliteStatement
  statement.setReadBigInts(true)
  const run = statement.run.bind(statement)
  return Object.assign(statement, {
    run: (...parameters: readonly SqliteValue[]) => {
      const { changes, lastInsertRowid } = run(...parameters)
      return { changes: Number(changes), lastInsertRowid: Number(lastInsertRowid) }
    },
  })
}

let loaded: NodeSqlite | undefined

/** Loads the module without its ExperimentalWarning. All other warnings still show. */
function loadNodeSqlite(): NodeSqlite {
  if (loaded) return loaded
  const { emitWarning } = process
  process.emitWarning = (...warning: unknown[]) => {
    if (!String(warning[0]).startsWith('SQLite is an experimental feature'))
      Reflect.apply(emitWarning, process, warning)
  }
  try {
    return (loaded = process.getBuiltinModule('node:sqlite') as unknown as NodeSqlite)
  } finally {
    process.emitWarning = emitWarning
  }
}

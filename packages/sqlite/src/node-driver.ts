import { isBuiltin } from 'node:module'
import type { NativeDatabase, SqliteStatement, SqliteValue } from './database.ts'

/** The part of `node:sqlite` that we use; the types of Node 20 do not have it. */
interface NodeSqlite {
  readonly DatabaseSync: new (file: string, options: { readonly readOnly: boolean }) => DatabaseSync
  backup(source: DatabaseSync, target: string, options: { readonly rate: number }): Promise<unknown>
}

interface DatabaseSync {
  prepare(sql: string): StatementSync
  exec(sql: string): void
  close(): void
}

/** Returns rows as arrays. */
interface StatementSync {
  get(...parameters: readonly SqliteValue[]): readonly unknown[] | undefined
  all(...parameters: readonly SqliteValue[]): (readonly unknown[])[]
  iterate(...parameters: readonly SqliteValue[]): Iterable<readonly unknown[]>
  run(...parameters: readonly SqliteValue[]): {
    readonly changes: number | bigint
    readonly lastInsertRowid: number | bigint
  }
  columns(): readonly { readonly name: string }[]
  setReadBigInts(enabled: boolean): void
  setReturnArrays(enabled: boolean): void
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
    // Some pragmas, such as incremental_vacuum, do one step per row that is read.
    pragma: (text) => database.prepare(`PRAGMA ${text}`).all(),
    async backup(target) {
      // The copy has its own connection, so it does not lock this one. A single step copies one snapshot.
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

function prepareStatement(database: DatabaseSync, sql: string): SqliteStatement {
  const statement = database.prepare(sql)
  const names = statement.columns().map(({ name }) => name)
  return names.length > 0 ? createReader(statement, names) : createWriter(statement)
}

/** Converts rows from arrays to plain objects, because the objects of Node have no prototype and are slow to read. */
function createReader(statement: StatementSync, names: readonly string[]): SqliteStatement {
  statement.setReturnArrays(true)
  const toRow = (values: readonly unknown[]): unknown => {
    const row: Record<string, unknown> = {}
    for (let index = 0; index < names.length; index++) row[names[index]!] = values[index]
    return row
  }
  return {
    get(...parameters) {
      const values = statement.get(...parameters)
      return values && toRow(values)
    },
    all: (...parameters) => statement.all(...parameters).map(toRow),
    *iterate(...parameters) {
      for (const values of statement.iterate(...parameters)) yield toRow(values)
    },
    run() {
      throw new TypeError('This statement returns rows. Use get, all or iterate.')
    },
  }
}

/**
 * Node refuses to return a row id above 2 ** 53 as a number. Full text search uses such ids internally, and SQLite reports
 * the last one with every later statement, so each of them would fail. Big integers avoid that.
 */
function createWriter(statement: StatementSync): SqliteStatement {
  statement.setReadBigInts(true)
  const refuse = (): never => {
    throw new TypeError('This statement returns no rows. Use run.')
  }
  return {
    get: refuse,
    all: refuse,
    iterate: refuse,
    run(...parameters) {
      const { changes, lastInsertRowid } = statement.run(...parameters)
      return { changes: Number(changes), lastInsertRowid: Number(lastInsertRowid) }
    },
  }
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

export type { SqliteDatabase, SqliteStatement, SqliteValue, TransactionMode } from './database.ts'
export { getSqliteCode } from './error-code.ts'
export { type OpenOptions, openSqlite } from './open.ts'

// How much a ledger holds: bytes, rows and what went into the log, by engine.
import { openSqlite } from '@remora/sqlite'

/** Of a database in PostgreSQL. */
export async function postgresSize(cluster, database) {
  const tables = await cluster.query(
    database,
    `SELECT relname AS name, pg_total_relation_size(oid) AS bytes FROM pg_class
     WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace`,
  )
  const counts = tables.map(({ name }) => `(SELECT count(*) FROM "${name}")`)
  const [{ rows, events, log }] = await cluster.query(
    database,
    `SELECT ${counts.join(' + ')} AS rows, (SELECT count(*) FROM events) AS events,
       pg_current_wal_insert_lsn() - '0/0' AS log`,
  )
  return {
    bytes: tables.reduce((total, { bytes }) => total + Number(bytes), 0),
    rows: Number(rows),
    events: Number(events),
    log: Number(log),
  }
}

/** What one row of events takes in its table, without its indexes. */
export async function rowBytes(cluster, database) {
  const [{ bytes }] = await cluster.query(database, 'SELECT avg(pg_column_size(e.*)) AS bytes FROM events e')
  return Number(bytes)
}

/** Of a file of SQLite. */
export function sqliteSize(file) {
  const database = openSqlite(file, { readOnly: true })
  try {
    const countRows = (table) => database.prepare(`SELECT count(*) AS count FROM "${table}"`).get().count
    const tables = database
      .prepare(`SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'`)
      .all()
      .map(({ name }) => name)
      .filter((name) => !/^(sqlite_|search)/.test(name))
    return {
      bytes: database.pragma('page_count') * database.pragma('page_size'),
      rows: tables.reduce((total, name) => total + countRows(name), 0),
      events: countRows('events'),
      log: 0,
    }
  } finally {
    database.close()
  }
}

/** What each event took between two moments. */
export function perEvent(before, after) {
  const events = after.events - before.events
  const of = (name) => (after[name] - before[name]) / events
  return { bytes: of('bytes'), rows: of('rows'), log: of('log') }
}

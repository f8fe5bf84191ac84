// The size of a ledger: bytes, rows, events and log, by engine.
import { openSqlite } from '@remora/sqlite'

export async function readPostgresSize(cluster, database) {
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

/** The average size of an event row, without indexes. */
export async function readRowBytes(cluster, database) {
  const [{ bytes }] = await cluster.query(database, 'SELECT avg(pg_column_size(e.*)) AS bytes FROM events e')
  return Number(bytes)
}

export function readSqliteSize(file) {
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

/** The average growth per event between two sizes. */
export function getSizePerEvent(before, after) {
  const events = after.events - before.events
  const getGrowth = (name) => (after[name] - before[name]) / events
  return { bytes: getGrowth('bytes'), rows: getGrowth('rows'), log: getGrowth('log') }
}

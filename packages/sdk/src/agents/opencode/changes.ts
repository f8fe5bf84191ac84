import type { DatabaseRows } from '../../contract/agent.ts'
import { asCount, asString } from '../../events/fields.ts'
import { type Marks, type State, isBefore, parseMark, overlapMs } from './database-state.ts'

/** A session in which something may have changed. */
export interface Candidate {
  readonly id: string
  readonly created: number
  readonly parent: string | undefined
}

/** Tables that show changes: each grows by its own new rows, and `event` by every change of any table. */
const growing: Readonly<Record<string, string>> = {
  session: 'id',
  message: 'session_id',
  part: 'session_id',
  event: 'aggregate_id',
}

/** Reads the last row of every table that shows changes. @example readMarks(database).part // [17, 'prt_1'] */
export function readMarks(database: DatabaseRows): Marks {
  const marks: Record<string, readonly [number, string]> = {}
  for (const table of listTables(database)) {
    if (!Object.hasOwn(growing, table)) continue
    const [row] = database.rows(`SELECT rowid, id FROM ${table} ORDER BY rowid DESC LIMIT 1`)
    marks[table] = parseMark(row) ?? [0, '']
  }
  return marks
}

export function listTables(database: DatabaseRows): string[] {
  const found = database.rows("SELECT name FROM sqlite_master WHERE type = 'table'")
  return Array.from(found, (row) => asString(row['name']) ?? '')
}

/**
 * Finds the sessions that changed since a state, oldest first. New rows are enough to find them, which is cheap if
 * nothing happened; only after deletions all rows are checked.
 */
export function changedSessions(database: DatabaseRows, state: State, session?: string): Candidate[] {
  if (session !== undefined) return findFamily(database, session)
  if (state.at === 0) return candidates(database, 'SELECT id, time_created, parent_id FROM session')
  const ids = new Set<string>()
  const gained = marksHold(database, state.marks)
  for (const [table, column] of Object.entries(growing)) {
    if (gained) collect(ids, database.rows(gainedSql(table, column), state.marks[table]![0]))
    else if (table !== 'event') collect(ids, database.rows(touchedSql(table, column), state.at - overlapMs))
  }
  return [...ids].flatMap((id) => candidates(database, oneSession, id)).sort(inOrder)
}

const oneSession = 'SELECT id, time_created, parent_id FROM session WHERE id = ?'
const gainedSql = (table: string, column: string) => `SELECT ${column} AS id FROM ${table} WHERE rowid > ?`
const touchedSql = (table: string, column: string) =>
  `SELECT DISTINCT ${column} AS id FROM ${table} WHERE time_updated >= ?`

function collect(ids: Set<string>, rows: Iterable<Readonly<Record<string, unknown>>>): void {
  for (const row of rows) ids.add(asString(row['id']) ?? '')
}

/** Checks that row ids were not reused, as after deletions or in a replaced file. */
function marksHold(database: DatabaseRows, marks: Marks): boolean {
  return Object.keys(growing).every((table) => {
    const mark = marks[table]
    if (!mark) return false
    if (mark[0] === 0) return true
    const [row] = database.rows(`SELECT rowid, id FROM ${table} WHERE rowid = ?`, mark[0])
    return parseMark(row)?.[1] === mark[1]
  })
}

function findFamily(database: DatabaseRows, session: string): Candidate[] {
  const family = candidates(database, oneSession, session)
  for (const { id } of family)
    family.push(
      ...candidates(database, 'SELECT id, time_created, parent_id FROM session WHERE parent_id = ?', id),
    )
  return family.sort(inOrder)
}

function candidates(database: DatabaseRows, sql: string, ...parameters: string[]): Candidate[] {
  return Array.from(database.rows(sql, ...parameters), (row) => ({
    id: asString(row['id']) ?? '',
    created: asCount(row['time_created']) ?? 0,
    parent: asString(row['parent_id']),
  })).sort(inOrder)
}

function inOrder(a: Candidate, b: Candidate): number {
  return isBefore([a.created, a.id], [b.created, b.id]) ? -1 : 1
}

/** The time of the last change in these sessions, by the clock of the rows. */
export function lastChange(database: DatabaseRows, sessions: readonly Candidate[], all: boolean): number {
  const tables = ['message', 'part'] as const
  const sql = tables.map((table) => `SELECT max(time_updated) AS at FROM ${table}`)
  const found = all
    ? sql.flatMap((each) => [...database.rows(each)])
    : sessions.flatMap(({ id }) =>
        sql.flatMap((each) => [...database.rows(`${each} WHERE session_id = ?`, id)]),
      )
  return found.reduce((last, row) => Math.max(last, asCount(row['at']) ?? 0), 0)
}

/** A message with a changed row or changed parts. */
export interface ChangedMessage {
  readonly id: string
  readonly created: number
  row: boolean
  readonly parts: string[]
}

/** Lists what changed in a session since a time, by message, without contents. */
export function changedMessages(database: DatabaseRows, session: string, since: number): ChangedMessage[] {
  const messages = new Map<string, ChangedMessage>()
  const get = (row: Readonly<Record<string, unknown>>): ChangedMessage => {
    const id = asString(row['id']) ?? ''
    const known = messages.get(id)
    if (known) return known
    const message = { id, created: asCount(row['time_created']) ?? 0, row: false, parts: [] }
    messages.set(id, message)
    return message
  }
  const rows = 'SELECT id, time_created FROM message WHERE session_id = ? AND time_updated >= ?'
  for (const row of database.rows(rows, session, since)) get(row).row = true
  const parts = `SELECT message.id AS id, message.time_created AS time_created, part.id AS part
    FROM part JOIN message ON message.id = part.message_id
    WHERE part.session_id = ? AND part.time_updated >= ? ORDER BY part.id`
  for (const row of database.rows(parts, session, since)) get(row).parts.push(asString(row['part']) ?? '')
  return [...messages.values()].sort((a, b) => (isBefore([a.created, a.id], [b.created, b.id]) ? -1 : 1))
}

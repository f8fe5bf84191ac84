import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Event, type EventRecord } from '@remora/protocol'
import { type SqliteValue, openSqlite } from '@remora/sqlite'
import type { DatabaseRows } from '../../contract/agent.ts'
import { EventMaker } from '../../events/event-maker.ts'
import type { AgentRecord } from '../../events/read-record.ts'
import { database, readInPieces } from './database.ts'

/** A recorded row of one table, with `data` as JSON. */
export type Dumped = Record<string, unknown> & { table: 'session' | 'message' | 'part'; id: string }

/**
 * Reads the rows of a recording.
 *
 * @example readDump(new URL('fixtures/1.18.33/hello/session.jsonl', import.meta.url))
 */
export function readDump(file: URL): Dumped[] {
  const lines = readFileSync(fileURLToPath(file), 'utf8').trimEnd().split('\n')
  return lines.map((line) => JSON.parse(line) as Dumped)
}

const first = Date.UTC(2026, 0, 1)

/**
 * Recorded times are all equal and ids are renumbered, so rows get times by their order in the recording, a message's
 * parts right after it.
 */
export function withTimes(dump: readonly Dumped[]): Dumped[] {
  const messages = dump.filter(({ table }) => table === 'message')
  const places = new Map(messages.map(({ id }, index) => [id, first + (index + 1) * 100]))
  const parts = new Map<unknown, number>()
  return dump.map((row) => {
    let time = row.table === 'session' ? first : (places.get(row.id) ?? first)
    if (row.table === 'part') {
      const count = (parts.get(row['message_id']) ?? 0) + 1
      parts.set(row['message_id'], count)
      time = (places.get(String(row['message_id'])) ?? first) + count
    }
    return { ...row, time_created: time, time_updated: time }
  })
}

/** A database in its own folder, with the OpenCode tables that Remora reads. */
export class TestDatabase implements Disposable {
  readonly #folder = mkdtempSync(join(tmpdir(), 'remora-opencode-db-'))
  readonly path = join(this.#folder, 'opencode.db')
  readonly #database = openSqlite(this.path)
  readonly #open: Opened
  readonly rows: DatabaseRows

  /** With `events`, every change adds a row to `event`, as OpenCode does since 1.18. */
  constructor(dump: readonly Dumped[], { events = true } = {}) {
    const session = dump.find(({ table }) => table === 'session') ?? { id: '', parent_id: null }
    const columns = Object.keys(session).filter((name) => name !== 'table' && name !== 'id')
    this.#database.pragma('journal_mode = WAL')
    this.#database.pragma('synchronous = NORMAL')
    this.#database.exec(`
      CREATE TABLE project (id text PRIMARY KEY);
      CREATE TABLE session (id text PRIMARY KEY, ${columns.map((name) => `"${name}"`).join(', ')});
      CREATE TABLE message (id text PRIMARY KEY, session_id, time_created, time_updated, data);
      CREATE TABLE part (id text PRIMARY KEY, message_id, session_id, time_created, time_updated, data);
      ${events ? 'CREATE TABLE event (id text PRIMARY KEY, aggregate_id, seq, type, data);' : ''}`)
    for (const row of dump) this.put(row, events)
    this.#open = openRows(this.path)
    this.rows = this.#open.rows
  }

  put({ table, ...row }: Dumped, event = true): void {
    if (table === 'message') delete row['message_id']
    const values = Object.entries(row).map(([name, value]) => [
      name,
      name === 'data' && typeof value !== 'string' ? JSON.stringify(value) : value,
    ])
    const names = values.map(([name]) => String(name))
    this.run(
      `INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})
       ON CONFLICT (id) DO UPDATE SET ${names.map((name) => `${name} = excluded.${name}`).join(', ')}`,
      ...values.map(([, value]) => value),
    )
    if (!event) return
    const session = table === 'session' ? row.id : row['session_id']
    const sql = 'INSERT INTO event SELECT ?, ?, count(*), ?, ? FROM event'
    this.run(sql, `evt_${process.hrtime.bigint()}`, session, `${table}.updated.1`, '{}')
  }

  run(sql: string, ...parameters: unknown[]): void {
    this.#database.prepare(sql).run(...(parameters as SqliteValue[]))
  }

  [Symbol.dispose](): void {
    this.#open[Symbol.dispose]()
    this.#database.close()
    rmSync(this.#folder, { recursive: true, force: true })
  }
}

interface Opened extends Disposable {
  readonly rows: DatabaseRows
}

/** Opens a database like the channel: read-only, each query on its own. */
function openRows(path: string): Opened {
  const database = openSqlite(path, { readOnly: true, timeoutMs: 5_000 })
  return {
    rows: {
      rows: (sql, ...parameters) => database.prepare<AgentRecord>(sql).iterate(...parameters),
    },
    [Symbol.dispose]: () => database.close(),
  }
}

export function newMaker(): EventMaker {
  return new EventMaker({ agent: 'opencode', channel: 'transcripts', source: 'transcript' })
}

export interface Changes {
  readonly records: EventRecord[]
  readonly events: Event[]
  readonly state: unknown
}

/**
 * Reads all changes since a state and checks each event against the schema. With `most`, it reads that many records at
 * a time as if the process ended after each batch: the state goes through JSON.
 */
export function readChanges(
  rows: DatabaseRows,
  since?: unknown,
  { session, most }: { readonly session?: string; readonly most?: number } = {},
): Changes {
  const part = most === undefined ? database : readInPieces({ records: most, characters: Infinity })
  const records: EventRecord[] = []
  let state = since
  for (let again = true; again;) {
    again = false
    for (const piece of part.read(rows, newMaker(), state, session)) {
      records.push(...piece.records)
      state = JSON.parse(JSON.stringify(piece.state)) as unknown
      again = most !== undefined
      if (again) break
    }
  }
  const events = records.flatMap((record) => record.events).map((event) => Event.parse(event))
  return { records, events, state }
}

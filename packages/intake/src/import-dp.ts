import type { Ledger } from '@remora/ledger'
import { type EventRecord, RemoraError } from '@remora/protocol/plain'
import { PayloadReader, findAgentBySource } from '@remora/sdk/hooks'
import { openDatabase } from '@remora/sdk/transcripts'
import { loadMarks } from './marks.ts'

/** What `importDesires` has read. */
export interface DesiresReport {
  /** The numbers of failed and of successful calls. */
  readonly desires: number
  readonly invocations: number
  /** The number of new events. */
  readonly events: number
  /** Skipped calls of sessions whose transcripts are in the ledger, because the transcripts have more details. */
  readonly known: number
  /** Calls of sources that Remora does not support, by source. */
  readonly foreign: Readonly<Record<string, number>>
  /** The user's notes, which are not stored in the ledger. */
  readonly notes: DesireNotes
}

const most = 500

/**
 * Imports the calls that desire-path has recorded (`~/.dp/desires.db`). A repeated import changes nothing.
 *
 * @example await importDesires(ledger, '/home/me/.dp/desires.db')
 */
export async function importDesires(ledger: Ledger, file: string): Promise<DesiresReport> {
  const report = { desires: 0, invocations: 0, events: 0, known: 0, foreign: {} as Record<string, number> }
  const known = await sessionsWithTranscripts(ledger)
  const readers = new Map<string, PayloadReader>()
  let records: EventRecord[] = []
  const flush = async (): Promise<void> => {
    report.events += (await ledger.append(records)).added
    records = []
  }
  using database = await openDatabase(file)
  for (const kind of ['desires', 'invocations'] as const)
    for (const row of readCalls(database, kind, file)) {
      const source = toText(row['source'])
      const agent = findAgentBySource(source)
      if (!agent) {
        report.foreign[source] = (report.foreign[source] ?? 0) + 1
        continue
      }
      if (known.has(`${agent.id} ${String(row['session'])}`)) {
        report.known++
        continue
      }
      const reader = readers.get(agent.id) ?? new PayloadReader(agent, undefined, 'dp')
      readers.set(agent.id, reader)
      const record = toRecord(reader, row, kind === 'desires')
      if (record) {
        records.push(record)
        report[kind]++
      }
      if (records.length >= most) await flush()
    }
  await flush()
  return { ...report, notes: readNotes(database) }
}

/** Each failed call is both a desire and an invocation; the desire has more details. */
const queries = {
  desires: `SELECT id, tool_name, tool_input, error, source, session_id AS session, cwd, timestamp, metadata
    FROM desires ORDER BY timestamp`,
  invocations: `SELECT id, tool_name, source, instance_id AS session, cwd, timestamp, metadata
    FROM invocations WHERE NOT is_error ORDER BY timestamp`,
}

function readCalls(
  database: { rows(sql: string): Iterable<Row> },
  kind: keyof typeof queries,
  file: string,
): Iterable<Row> {
  try {
    return database.rows(queries[kind])
  } catch (cause) {
    throw new RemoraError('input', `${file} is no database of desire-path`, {
      hint: 'It keeps its own in ~/.dp/desires.db.',
      cause,
    })
  }
}

/** Converts a call to the payload of a hook; the status comes from the table. */
function toRecord(reader: PayloadReader, row: Row, failed: boolean): EventRecord | undefined {
  const more = parseFields(row['metadata'])
  const payload = {
    ...more,
    hook_event_name: undefined,
    tool_name: row['tool_name'],
    tool_input: parseValue(row['tool_input']) ?? more['tool_input'],
    session_id: row['session'] || undefined,
    cwd: row['cwd'] || undefined,
    error: row['error'] || undefined,
  }
  const at = parseTime(row['timestamp'])
  const record = reader.read(JSON.stringify(payload), { key: String(row['id']), at })
  if (!record?.events.some(({ type }) => type === 'tool_use')) return undefined
  const content = toText(row['error'])
  const own = more['tool_use_id']
  for (const event of record.events) {
    event.at = at
    if (event.type !== 'tool_use' && event.type !== 'tool_result') continue
    // Each row is a separate call, even if it equals another one.
    event.entity = typeof own === 'string' ? own : `dp/${String(row['id'])}`
    if (event.type === 'tool_use') continue
    event.status = failed ? 'error' : 'success'
    if (failed && content !== '') event.content = content
  }
  return { events: record.events }
}

function parseValue(text: unknown): unknown {
  if (typeof text !== 'string' || text === '') return undefined
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}

function parseFields(text: unknown): Row {
  const value = parseValue(text)
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Row) : {}
}

async function sessionsWithTranscripts(ledger: Ledger): Promise<Set<string>> {
  const marks = await loadMarks(ledger)
  return new Set([...marks.values()].flatMap(({ agent, sessions }) => sessions.map((id) => `${agent} ${id}`)))
}

/** One row of a table, by column names. */
type Row = Readonly<Record<string, unknown>>

/** The user's aliases and documentation links in desire-path. An empty text means that a field is not set. */
interface DesireNotes {
  readonly aliases: readonly {
    readonly from: string
    readonly to: string
    readonly tool: string
    readonly param: string
    readonly command: string
    /** desire-path's name for the kind of alias; empty for the name of a tool. */
    readonly kind: string
    readonly message: string
    readonly createdAt: number
  }[]
  readonly mappings: readonly {
    readonly pattern: string
    readonly tool: string
    readonly doc: string
    readonly excerpt: string
    readonly createdAt: number
    readonly updatedAt: number
  }[]
}

/** Reads the user's notes. Older databases have fewer tables and columns. */
function readNotes(database: { rows(sql: string): Iterable<Row> }): DesireNotes {
  return {
    aliases: readTable(database, 'aliases').map((row) => ({
      from: toText(row['from_name']),
      to: toText(row['to_name']),
      tool: toText(row['tool']),
      param: toText(row['param']),
      command: toText(row['command']),
      kind: toText(row['match_kind']),
      message: toText(row['message']),
      createdAt: parseTime(row['created_at']),
    })),
    mappings: readTable(database, 'doc_mappings').map((row) => ({
      pattern: toText(row['pattern']),
      tool: toText(row['tool']),
      doc: toText(row['doc_path']),
      excerpt: toText(row['doc_excerpt']),
      createdAt: parseTime(row['created_at']),
      updatedAt: parseTime(row['updated_at']),
    })),
  }
}

function readTable(database: { rows(sql: string): Iterable<Row> }, table: string): Row[] {
  const [known] = database.rows(`SELECT name FROM sqlite_master WHERE type = 'table' AND name = '${table}'`)
  return known ? [...database.rows(`SELECT * FROM ${table} ORDER BY rowid`)] : []
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** A time as text, or in seconds or milliseconds; 0 for anything else. */
function parseTime(value: unknown): number {
  const number = Number(value ?? Number.NaN)
  if (Number.isFinite(number)) return number < 1e11 ? number * 1000 : number
  // Go also writes the name of the time zone, which `Date.parse` does not accept.
  const parts = /^(\S+) (\d\d:\d\d:\d\d(?:\.\d+)?) ([+-]\d\d)(\d\d)/.exec(String(value))
  const time = Date.parse(parts ? `${parts[1]}T${parts[2]}${parts[3]}:${parts[4]}` : String(value))
  return Number.isNaN(time) ? 0 : time
}

/** One row of a table, by column names. */
export type Row = Readonly<Record<string, unknown>>

/** The user's aliases and documentation links in desire-path. An empty text means that a field is not set. */
export interface DesireNotes {
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
export function readNotes(database: { rows(sql: string): Iterable<Row> }): DesireNotes {
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

export function toText(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** A time as text, or in seconds or milliseconds; 0 for anything else. */
export function parseTime(value: unknown): number {
  const number = Number(value ?? Number.NaN)
  if (Number.isFinite(number)) return number < 1e11 ? number * 1000 : number
  // Go also writes the name of the time zone, which `Date.parse` does not accept.
  const parts = /^(\S+) (\d\d:\d\d:\d\d(?:\.\d+)?) ([+-]\d\d)(\d\d)/.exec(String(value))
  const time = Date.parse(parts ? `${parts[1]}T${parts[2]}${parts[3]}:${parts[4]}` : String(value))
  return Number.isNaN(time) ? 0 : time
}

import { type Row, textIn, timeOf } from './import-dp-fields.ts'

/** What a person has told desire-path: what is meant by what fails, and where help stands. Empty texts are not set. */
export interface DesireNotes {
  readonly aliases: readonly {
    readonly from: string
    readonly to: string
    readonly tool: string
    readonly param: string
    readonly command: string
    /** Its word for the kind of alias; none for the name of a tool. */
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

/** Reads them. Older databases have fewer tables and columns. */
export function readNotes(database: { rows(sql: string): Iterable<Row> }): DesireNotes {
  return {
    aliases: rowsOf(database, 'aliases').map((row) => ({
      from: textIn(row['from_name']),
      to: textIn(row['to_name']),
      tool: textIn(row['tool']),
      param: textIn(row['param']),
      command: textIn(row['command']),
      kind: textIn(row['match_kind']),
      message: textIn(row['message']),
      createdAt: timeOf(row['created_at']),
    })),
    mappings: rowsOf(database, 'doc_mappings').map((row) => ({
      pattern: textIn(row['pattern']),
      tool: textIn(row['tool']),
      doc: textIn(row['doc_path']),
      excerpt: textIn(row['doc_excerpt']),
      createdAt: timeOf(row['created_at']),
      updatedAt: timeOf(row['updated_at']),
    })),
  }
}

function rowsOf(database: { rows(sql: string): Iterable<Row> }, table: string): Row[] {
  const [known] = database.rows(`SELECT name FROM sqlite_master WHERE type = 'table' AND name = '${table}'`)
  return known ? [...database.rows(`SELECT * FROM ${table} ORDER BY rowid`)] : []
}

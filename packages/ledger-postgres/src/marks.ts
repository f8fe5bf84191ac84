import { toMarkName } from '@remora/ledger/internal'
import type { Connection, TransactionEnd } from './connection.ts'
import { unflushedSql } from './flush.ts'
import { hashKey } from './hash.ts'

/** How much of a name is in the index. */
const indexed = 500

/** Reads marks whose names start with this prefix. */
export async function readMarks(connection: Connection, prefix: string): Promise<Map<string, unknown>> {
  const own = toMarkName(connection.node, prefix)
  const rows = await connection.allFlushed<{ name: string; value: string; unflushed: string | null }>(
    `SELECT name, value, unflushed FROM marks, (SELECT ${unflushedSql} AS unflushed) log
     WHERE left(name, ${indexed}) >= left($1::text, ${indexed}) AND starts_with(name, $1) ORDER BY name`,
    own,
  )
  const before = own.length - prefix.length
  return new Map(rows.map(({ name, value }) => [name.slice(before), JSON.parse(value) as unknown]))
}

export interface MarkRow {
  readonly key: string
  readonly name: string
  /** As JSON; null removes the mark. */
  readonly value: string | null
}

/** Converts marks of a machine to rows; undefined removes a mark. */
export function toMarkRows(given: Readonly<Record<string, unknown>>, node: string | undefined): MarkRow[] {
  return Object.entries(given).map(([own, value]) => {
    const name = toMarkName(node, own)
    return { key: hashKey(name), name, value: value === undefined ? null : JSON.stringify(value) }
  })
}

export function buildSetMarks(rows: readonly MarkRow[]): TransactionEnd<unknown>['statements'] {
  const [set, gone] = [true, false].map((is) => rows.filter(({ value }) => (value !== null) === is))
  return [
    ['DELETE FROM marks WHERE key = ANY($1::uuid[])', gone!.map(({ key }) => key)],
    [
      `INSERT INTO marks (key, name, value)
       SELECT * FROM unnest($1::uuid[], $2::text[], $3::text[]) AS mark (key, name, value) ORDER BY key
       ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
      set!.map(({ key }) => key),
      set!.map(({ name }) => name),
      set!.map(({ value }) => value),
    ],
  ]
}

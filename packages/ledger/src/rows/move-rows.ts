import type { Answer, Ask } from '@remora/protocol/plain'
import type { MovePage, MovePart, MoveRange, MoveRows, MoveStore, SealedEntry } from '../model/ledger.ts'
import { auditColumns } from './audit-chain.ts'
import { commandColumns, type CommandRow, toCommand } from './command-row.ts'

const pageRows = 500

/** The table of a part, its columns and order, and how a row is read. */
interface Part<P extends MovePart> {
  readonly table: string
  readonly columns: string
  readonly order: readonly string[]
  toRow(row: never): MoveRows[P]
}

/** Both engines use the same tables and columns. */
const parts: { readonly [P in MovePart]: Part<P> } = {
  sessions: {
    table: 'sessions',
    columns: 'id, agent, session, node, name, pinned, hidden, archived_at',
    order: ['id'],
    toRow: (row: SessionRow) => ({
      agent: row.agent,
      session: row.session,
      ...(row.node === null ? {} : { node: row.node }),
      ...(row.name === null ? {} : { name: row.name }),
      pinned: Boolean(row.pinned),
      hidden: Boolean(row.hidden),
      ...(row.archived_at === null ? {} : { archivedAt: row.archived_at }),
    }),
  },
  forgotten: {
    table: 'forgotten',
    columns: 'agent, session, at',
    order: ['agent', 'session'],
    toRow: (row: MoveRows['forgotten']) => row,
  },
  asks: {
    table: 'asks',
    columns: 'number, agent, session, ask, answer',
    order: ['number'],
    toRow: ({ agent, session, ask, answer }: AskRow) => ({
      agent,
      session,
      ask: JSON.parse(ask) as Ask,
      ...(answer === null ? {} : { answer: JSON.parse(answer) as Answer }),
    }),
  },
  commands: {
    table: 'commands',
    columns: `number, ${commandColumns}`,
    order: ['number'],
    toRow: (row: CommandRow) => toCommand(row),
  },
  audit: {
    table: 'audit',
    columns: auditColumns.join(', '),
    order: ['number'],
    toRow: (row: SealedEntry) => row,
  },
  marks: {
    table: 'marks',
    columns: 'name, value',
    order: ['name'],
    toRow: ({ name, value }: { name: string; value: string }) => ({
      name,
      value: JSON.parse(value) as unknown,
    }),
  },
}

interface SessionRow {
  readonly agent: string
  readonly session: string
  readonly node: string | null
  readonly name: string | null
  readonly pinned: number | boolean
  readonly hidden: number | boolean
  readonly archived_at: number | null
}

interface AskRow {
  readonly agent: string
  readonly session: string
  readonly ask: string
  readonly answer: string | null
}

/** The query for a page of a part; `place` formats its parameters, numbered from 1. */
export function buildPageQuery(
  part: MovePart,
  { after, end }: MoveRange,
  place: (number: number) => string,
): { readonly sql: string; readonly parameters: readonly (string | number)[] } {
  const { table, columns, order } = parts[part]
  const parameters: (string | number)[] = []
  const conditions: string[] = []
  for (const [position, operator] of [
    [after, '>'],
    [end, '<='],
  ] as const) {
    if (position === undefined) continue
    const places = (JSON.parse(position) as (string | number)[]).map((value) => place(parameters.push(value)))
    conditions.push(`(${order.join()}) ${operator} (${places.join()})`)
  }
  const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`
  return {
    sql: `SELECT ${columns} FROM ${table} ${where} ORDER BY ${order.join()} LIMIT ${pageRows}`,
    parameters,
  }
}

/** The query for the last row of a part, whose position `toPosition` reads. */
export function buildEndQuery(part: MovePart): string {
  const { table, order } = parts[part]
  const descending = order.map((name) => `${name} DESC`).join()
  return `SELECT ${order.join()} FROM ${table} ORDER BY ${descending} LIMIT 1`
}

export function toPosition(
  part: MovePart,
  row: Readonly<Record<string, unknown>> | undefined,
): string | undefined {
  return row && JSON.stringify(parts[part].order.map((name) => row[name]))
}

export function toPage<P extends MovePart>(
  part: P,
  rows: readonly Readonly<Record<string, unknown>>[],
): MovePage<P> {
  const { toRow } = parts[part] as Part<P>
  return {
    rows: rows.map((row) => toRow(row as never)),
    after: rows.length === pageRows ? toPosition(part, rows.at(-1)) : undefined,
  }
}

/** Loads the module of the store on first use, since few commands need it. */
export function createLazyMoveStore(load: () => Promise<MoveStore>): MoveStore {
  return {
    async read(part, range) {
      return (await load()).read(part, range)
    },
    async end(part) {
      return (await load()).end(part)
    },
    async write<P extends MovePart>(part: P, rows: readonly MoveRows[P][]) {
      await (await load()).write(part, rows)
    },
  }
}

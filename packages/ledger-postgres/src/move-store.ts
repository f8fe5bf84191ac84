import type { MovePart, MoveRows, MoveStore } from '@remora/ledger'
import {
  type AuditHead,
  createChainConflict,
  advanceHead,
  toPage,
  toPosition,
  buildEndQuery,
  buildPageQuery,
  commandColumns,
  toCommandValues,
} from '@remora/ledger/internal'
import { insertEntry, setHead } from './audit.ts'
import type { Connection, Queries } from './connection.ts'
import { hashKey, hashSession } from './hash.ts'
import { forgetEvents } from './maintain.ts'

/** Reads and writes rows as they are. */
export function createMoveStore(connection: Connection): MoveStore {
  return {
    async read(part, range = {}) {
      const { sql, parameters } = buildPageQuery(part, range, (number) => `$${number}`)
      return toPage(part, await connection.all(sql, ...parameters))
    },
    async end(part) {
      return toPosition(part, await connection.get(buildEndQuery(part)))
    },
    async write<P extends MovePart>(part: P, rows: readonly MoveRows[P][]) {
      if (rows.length > 0) await connection.write((queries) => writers[part](queries, rows))
    },
  }
}

const writers: {
  readonly [P in MovePart]: (queries: Queries, rows: readonly MoveRows[P][]) => Promise<void>
} = {
  sessions: async (queries, rows) => {
    const keys = rows.map((row) => [hashSession(row), row] as const)
    // In the order in which all writers lock sessions.
    for (const [key, row] of keys.sort(([left], [right]) => (left < right ? -1 : 1)))
      await queries.run(
        `UPDATE sessions SET node = coalesce($2, node), name = $3, pinned = $4, hidden = $5, archived_at = $6
         WHERE key = $1`,
        key,
        row.node ?? null,
        row.name ?? null,
        row.pinned,
        row.hidden,
        row.archivedAt ?? null,
      )
  },
  forgotten: async (queries, rows) => {
    for (const row of rows) await forgetEvents(queries, row, () => row.at)
  },
  asks: async (queries, rows) => {
    for (const { agent, session, ask, answer } of rows)
      await queries.run(
        // An ask that was answered here stays answered.
        `INSERT INTO asks AS a (key, session_key, agent, session, digest, ask, answer)
         VALUES ($1, $2, $3, $4, $5, $6, $7)
         ON CONFLICT (key) DO UPDATE SET ask = excluded.ask, digest = excluded.digest,
           answer = CASE WHEN a.digest = excluded.digest THEN coalesce(a.answer, excluded.answer)
             ELSE excluded.answer END`,
        hashKey(agent, session, ask.id),
        hashSession({ agent, session }),
        agent,
        session,
        ask.digest,
        JSON.stringify(ask),
        answer ? JSON.stringify(answer) : null,
      )
  },
  commands: async (queries, rows) => {
    for (const command of rows)
      await queries.run(
        // A command that was executed here is not executed again.
        `INSERT INTO commands AS c (key, session_key, ${commandColumns})
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
         ON CONFLICT (key) DO UPDATE SET session_key = excluded.session_key, agent = excluded.agent,
           session = excluded.session, state = excluded.state, body = excluded.body, reason = excluded.reason
         WHERE c.state IN ('queued', 'sent')`,
        hashKey(command.client, command.id),
        hashSession(command.target),
        ...toCommandValues(command),
      )
  },
  audit: writeAudit,
  marks: async (queries, rows) => {
    for (const { name, value } of rows)
      await queries.run(
        `INSERT INTO marks (key, name, value) VALUES ($1, $2, $3)
         ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
        hashKey(name),
        name,
        JSON.stringify(value),
      )
  },
}

/** Existing entries must be equal; new ones must continue the chain. */
async function writeAudit(queries: Queries, rows: readonly MoveRows['audit'][]): Promise<void> {
  const { value } = (await queries.get<{ value: string }>(
    `SELECT value FROM meta WHERE name = 'audit' FOR UPDATE`,
  ))!
  const head = JSON.parse(value) as AuditHead
  const known = await queries.all<{ number: number; hash: string }>(
    'SELECT number, hash FROM audit WHERE number = ANY($1::bigint[])',
    rows.map(({ number }) => number),
  )
  const hashes = new Map(known.map(({ number, hash }) => [number, hash]))
  for (const row of rows.filter(({ number }) => number <= head.count)) {
    if (hashes.get(row.number) !== row.hash) throw createChainConflict(row.number)
    // The source has forgotten this detail meanwhile.
    if (row.detail === null)
      await queries.run('UPDATE audit SET detail = NULL, salt = NULL WHERE number = $1', row.number)
  }
  const fresh = rows.filter(({ number }) => number > head.count)
  const next = advanceHead(head, fresh)
  for (const row of fresh) await insertEntry(queries, row)
  await setHead(queries, next)
}

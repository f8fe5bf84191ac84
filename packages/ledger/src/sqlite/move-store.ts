import type { SqliteValue } from '@remora/sqlite'
import type { MovePart, MoveRows, MoveStore } from '../model/ledger.ts'
import { createChainConflict, advanceHead } from '../rows/audit-chain.ts'
import { commandColumns, toCommandValues } from '../rows/command-row.ts'
import { buildEndQuery, buildPageQuery, toPage, toPosition } from '../rows/move-rows.ts'
import { insertEntry, readHead, setHead } from './audit.ts'
import type { Connection } from './connection.ts'
import { removeSession, removeAsksAndCommands, findSessionId } from './remove.ts'

/** Reads and writes rows as they are. `removed` is called when sessions may have been deleted. */
export function createMoveStore(connection: Connection, removed: () => void): MoveStore {
  const run = (sql: string, ...parameters: SqliteValue[]): void =>
    void connection.statement(sql).run(...parameters)

  const writers: { readonly [P in MovePart]: (rows: readonly MoveRows[P][]) => void } = {
    sessions(rows) {
      for (const row of rows)
        run(
          `UPDATE sessions SET node = coalesce(?, node), name = ?, pinned = ?, hidden = ?, archived_at = ?
           WHERE agent = ? AND session = ?`,
          row.node ?? null,
          row.name ?? null,
          Number(row.pinned),
          Number(row.hidden),
          row.archivedAt ?? null,
          row.agent,
          row.session,
        )
    },
    forgotten(rows) {
      removed()
      for (const row of rows) {
        const id = findSessionId(connection, row)
        if (id === undefined) removeAsksAndCommands(connection, row)
        else removeSession(connection, id, row)
        run('INSERT OR IGNORE INTO forgotten VALUES (?, ?, ?)', row.agent, row.session, row.at)
      }
    },
    asks(rows) {
      for (const { agent, session, ask, answer } of rows)
        run(
          // An ask that was answered here stays answered.
          `INSERT INTO asks (agent, session, id, digest, ask, answer) VALUES (?, ?, ?, ?, ?, ?)
           ON CONFLICT (agent, session, id) DO UPDATE SET ask = excluded.ask, digest = excluded.digest,
             answer = iif(digest = excluded.digest, coalesce(answer, excluded.answer), excluded.answer)`,
          agent,
          session,
          ask.id,
          ask.digest,
          JSON.stringify(ask),
          answer ? JSON.stringify(answer) : null,
        )
    },
    commands(rows) {
      for (const command of rows)
        run(
          // A command that was executed here is not executed again.
          `INSERT INTO commands (${commandColumns})
           VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (client, id) DO UPDATE SET agent = excluded.agent,
             session = excluded.session, state = excluded.state, body = excluded.body, reason = excluded.reason
           WHERE commands.state IN ('queued', 'sent')`,
          ...toCommandValues(command),
        )
    },
    audit(rows) {
      writeAudit(connection, rows)
    },
    marks(rows) {
      for (const { name, value } of rows)
        run('INSERT OR REPLACE INTO marks VALUES (?, ?)', name, JSON.stringify(value))
    },
  }

  return {
    async read(part, range = {}) {
      const { sql, parameters } = buildPageQuery(part, range, () => '?')
      return toPage(part, connection.all(sql, ...parameters))
    },
    async end(part) {
      return toPosition(part, connection.get(buildEndQuery(part)))
    },
    async write<P extends MovePart>(part: P, rows: readonly MoveRows[P][]) {
      if (rows.length > 0) await connection.write(() => writers[part](rows))
    },
  }
}

/** Existing entries must be equal; new ones must continue the chain. */
function writeAudit(connection: Connection, rows: readonly MoveRows['audit'][]): void {
  const head = readHead(connection)!
  for (const row of rows.filter(({ number }) => number <= head.count)) {
    const known = connection.get<{ hash: string }>('SELECT hash FROM audit WHERE number = ?', row.number)
    if (known?.hash !== row.hash) throw createChainConflict(row.number)
    // The source has forgotten this detail meanwhile.
    if (row.detail === null)
      connection.statement('UPDATE audit SET detail = NULL, salt = NULL WHERE number = ?').run(row.number)
  }
  const fresh = rows.filter(({ number }) => number > head.count)
  const next = advanceHead(head, fresh)
  for (const row of fresh) insertEntry(connection, row)
  setHead(connection, next)
}

import type { LiveInfo } from '@remora/protocol/plain'
import type { NodeFields, NodeStore } from '@remora/ledger'
import { type Clock, buildNowSql, readClock } from './clock.ts'
import type { Connection } from './connection.ts'
import { hashKey } from './hash.ts'

interface NodeRow {
  readonly id: string
  readonly name: string
  readonly version: string
  readonly live: string
  readonly silent: number
}

export function createNodeStore(connection: Connection, clock: Clock): NodeStore {
  return {
    async heartbeat({ id, name, version, live }: NodeFields) {
      const fields = [hashKey(id), id, name, version, JSON.stringify(live), readClock(clock)]
      // Most heartbeats change nothing else. They notify no reader: a thousand machines would wake a thousand others.
      const quiet = await connection.run(
        `UPDATE nodes SET seen_at = ${buildNowSql('$6')}
         WHERE key = $1 AND id = $2 AND name = $3 AND version = $4 AND live = $5`,
        ...fields,
      )
      if (quiet > 0) return
      await connection.write((queries) =>
        queries.run(
          `INSERT INTO nodes (key, id, name, version, live, seen_at) VALUES ($1, $2, $3, $4, $5, ${buildNowSql('$6')})
           ON CONFLICT (key) DO UPDATE
             SET name = excluded.name, version = excluded.version, live = excluded.live, seen_at = excluded.seen_at`,
          ...fields,
        ),
      )
    },
    async list() {
      const rows = await connection.all<NodeRow>(
        `SELECT id, name, version, live, greatest(0, ${buildNowSql('$1')} - seen_at) AS silent FROM nodes ORDER BY name, id`,
        readClock(clock),
      )
      return rows.map(({ live, silent, ...node }) => ({
        ...node,
        live: JSON.parse(live) as LiveInfo[],
        silentMs: silent,
      }))
    },
    async remove(id) {
      const changes = await connection.write((queries) =>
        queries.run('DELETE FROM nodes WHERE key = $1', hashKey(id)),
      )
      return changes > 0
    },
  }
}

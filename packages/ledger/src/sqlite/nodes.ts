import type { LiveInfo } from '@remora/protocol/plain'
import type { NodeFields, NodeStore } from '../model/ledger.ts'
import type { Connection } from './connection.ts'

interface NodeRow {
  readonly id: string
  readonly name: string
  readonly version: string
  readonly live: string
  readonly seen_at: number
}

export function createNodeStore(connection: Connection, now: () => number): NodeStore {
  return {
    async heartbeat({ id, name, version, live }: NodeFields) {
      await connection.write(() =>
        connection
          .statement('INSERT OR REPLACE INTO nodes (id, name, version, live, seen_at) VALUES (?, ?, ?, ?, ?)')
          .run(id, name, version, JSON.stringify(live), now()),
      )
    },
    async list() {
      return connection
        .all<NodeRow>('SELECT * FROM nodes ORDER BY name, id')
        .map(({ live, seen_at: seenAt, ...node }) => ({
          ...node,
          live: JSON.parse(live) as LiveInfo[],
          silentMs: Math.max(0, now() - seenAt),
        }))
    },
    async remove(id) {
      const { changes } = await connection.write(() =>
        connection.statement('DELETE FROM nodes WHERE id = ?').run(id),
      )
      return changes > 0
    },
  }
}

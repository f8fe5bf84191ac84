import type { LeaseHolder, LeaseStore } from '../model/ledger.ts'
import type { Connection } from './connection.ts'

/** Each change is one statement, so only one of many processes gets the lease. */
export function createLeaseStore(connection: Connection, now: () => number): LeaseStore {
  return {
    async take(name, holder, forMs) {
      return connection.write(() => {
        const taken = connection
          .statement<{ term: number }>(
            `INSERT INTO leases (name, term, holder, expires_at) VALUES (?, 1, ?, ?)
             ON CONFLICT (name) DO UPDATE SET term = term + 1, holder = excluded.holder, expires_at = excluded.expires_at
             WHERE leases.holder IS NULL OR leases.expires_at <= ?
             RETURNING term`,
          )
          .get(name, JSON.stringify(holder), now() + forMs, now())
        if (taken) return { name, term: taken.term }
        const held = connection
          .statement<{ holder: string; term: number }>('SELECT holder, term FROM leases WHERE name = ?')
          .get(name)!
        return { heldBy: JSON.parse(held.holder) as LeaseHolder, lease: { name, term: held.term } }
      })
    },
    async find(name) {
      const row = connection.get<{ holder: string; term: number }>(
        'SELECT holder, term FROM leases WHERE name = ? AND holder IS NOT NULL AND expires_at > ?',
        name,
        now(),
      )
      return row && { heldBy: JSON.parse(row.holder) as LeaseHolder, lease: { name, term: row.term } }
    },
    async renew({ name, term }, forMs) {
      const { changes } = await connection.write(
        () =>
          connection
            .statement('UPDATE leases SET expires_at = ? WHERE name = ? AND term = ? AND holder IS NOT NULL')
            .run(now() + forMs, name, term),
        // A server renews its leases every few seconds. If that notified it, it would never be idle.
        { notify: false },
      )
      return changes === 1
    },
    async release({ name, term }) {
      await connection.write(() =>
        connection.statement('UPDATE leases SET holder = NULL WHERE name = ? AND term = ?').run(name, term),
      )
    },
  }
}

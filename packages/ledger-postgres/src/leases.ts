import type { LeaseHolder, LeaseStore } from '@remora/ledger'
import { type Clock, buildNowSql, readClock } from './clock.ts'
import type { Connection } from './connection.ts'
import { hashKey } from './hash.ts'

/** Each change is one statement, so only one of many processes gets the lease. Times are the database's. */
export function createLeaseStore(connection: Connection, clock: Clock): LeaseStore {
  return {
    take(name, holder, forMs) {
      return connection.write(async (queries) => {
        const key = hashKey(name)
        const taken = await queries.get<{ term: number }>(
          `INSERT INTO leases AS l (key, name, term, holder, expires_at)
           VALUES ($1, $2, 1, $3, ${buildNowSql('$4')} + $5::double precision)
           ON CONFLICT (key) DO UPDATE
             SET term = l.term + 1, holder = excluded.holder, expires_at = excluded.expires_at
             WHERE l.holder IS NULL OR l.expires_at <= ${buildNowSql('$4')}
           RETURNING term`,
          key,
          name,
          JSON.stringify(holder),
          readClock(clock),
          forMs,
        )
        if (taken) return { name, term: taken.term }
        const held = (await queries.get<{ holder: string; term: number }>(
          'SELECT holder, term FROM leases WHERE key = $1',
          key,
        ))!
        return { heldBy: JSON.parse(held.holder) as LeaseHolder, lease: { name, term: held.term } }
      })
    },
    async find(name) {
      const row = await connection.get<{ holder: string; term: number }>(
        `SELECT holder, term FROM leases WHERE key = $1 AND holder IS NOT NULL AND expires_at > ${buildNowSql('$2')}`,
        hashKey(name),
        readClock(clock),
      )
      return row && { heldBy: JSON.parse(row.holder) as LeaseHolder, lease: { name, term: row.term } }
    },
    async renew({ name, term }, forMs) {
      // Without a notification: no reader waits for it, and many processes renew often.
      const changes = await connection.run(
        `UPDATE leases SET expires_at = ${buildNowSql('$3')} + $4::double precision
         WHERE key = $1 AND term = $2 AND holder IS NOT NULL`,
        hashKey(name),
        term,
        readClock(clock),
        forMs,
      )
      return changes === 1
    },
    async release({ name, term }) {
      await connection.write((queries) =>
        queries.run('UPDATE leases SET holder = NULL WHERE key = $1 AND term = $2', hashKey(name), term),
      )
    },
  }
}

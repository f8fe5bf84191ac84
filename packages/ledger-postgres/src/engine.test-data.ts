import { randomUUID } from 'node:crypto'
import { type Postgres, startPostgres } from '../../../testkit/src/postgres.ts'
import type { Engine, EngineOptions } from '../../ledger/src/contract/engine.test-data.ts'
import type { Ledger } from '@remora/ledger'
import { openPostgres } from './open-postgres.ts'

export function open(place: string, options: EngineOptions = {}): Promise<Ledger> {
  return openPostgres({ url: place, ...options })
}

/** One server, and a schema for each ledger, since creating a database takes much longer. */
export interface PostgresEngine extends Engine {
  readonly server: Postgres
}

export async function startEngine(): Promise<PostgresEngine> {
  const server = await startPostgres({ fsync: 'off' })
  const database = await server.createDatabase('contract')
  return {
    server,
    async place() {
      const schema = `s${randomUUID().replaceAll('-', '')}`
      await server.query(`CREATE SCHEMA ${schema}`, 'contract')
      return `${database}?options=${encodeURIComponent(`-c search_path=${schema}`)}`
    },
    open,
    module: import.meta.url,
  }
}

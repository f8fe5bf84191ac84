import { RemoraError } from '@remora/protocol/plain'
import type { Client, ClientConfig } from 'pg'
import { decodeText } from './text-encoding.ts'

/** How long somebody waits for a connection, for another writer, and for an answer of any kind. */
const connectMs = 15_000
const lockMs = 30_000
const statementMs = 120_000
/** One who stopped in the midst of a transaction holds up all other writers; so it is undone. */
const idleMs = 60_000

/** Where a database is. The password is in `url` only, which is never shown. */
export interface Address {
  readonly url: string
  readonly host: string
  readonly port: number
  readonly database: string
  readonly user: string
}

/** In words for a person. @example "the database remora at db.example:5432" */
export function describeAddress({ host, port, database }: Address): string {
  // The folder of a socket, a name, or numbers with colons of their own.
  const place = host.startsWith('/') ? host : `${host.includes(':') ? `[${host}]` : host}:${port}`
  return `the database ${database} at ${place}`
}

/** The same for every connection of a ledger, also for the one that listens. */
export function createClientConfig(url: string): ClientConfig {
  return {
    connectionString: checked(url),
    connectionTimeoutMillis: connectMs,
    statement_timeout: statementMs,
    // The network may be cut without a word.
    query_timeout: statementMs + 10_000,
    lock_timeout: lockMs,
    idle_in_transaction_session_timeout: idleMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    fallback_application_name: 'remora',
    pipeline: true,
    types: { getTypeParser },
  }
}

function checked(url: string): string {
  const known = /^postgres(?:ql)?:\/\//.test(url) && URL.canParse(url.replace('@/', '@localhost/'))
  if (known) return url
  throw new RemoraError('config', 'The address of the database is none that PostgreSQL knows', {
    hint: 'Write it like postgres://user:password@host:5432/database; signs such as @ and / in a password as %40 and %2F.',
  })
}

/** What is known of a connection's other end. */
export function toAddress(url: string, { host, port, database, user }: Client): Address {
  return { url, host, port, database: database ?? '', user: user ?? '' }
}

/** Numbers as numbers: none of ours is beyond 2^53. Texts as they were before they were stored. */
function getTypeParser(type: number, format?: string): (value: string) => unknown {
  const parse = format === 'binary' ? undefined : parsers[type]
  return parse ?? ((value) => value)
}

const parsers: Readonly<Record<number, (value: string) => unknown>> = {
  16: (value) => value === 't', // boolean
  20: Number, // bigint
  21: Number, // smallint
  23: Number, // integer
  25: decodeText, // text
  700: Number, // real
  701: Number, // double precision
  1700: Number, // numeric, as the sum of bigints is
}

import { RemoraError } from '@remora/protocol/plain'
import type { Client, ClientConfig } from 'pg'
import { decodeText } from './text-encoding.ts'

/** Timeouts for connecting, for locks, and for any statement. */
const connectMs = 15_000
const lockMs = 30_000
const statementMs = 120_000
/** A transaction that stays idle blocks all other writers, so it is rolled back. */
const idleMs = 60_000

/** Where a database is. Only `url` contains the password, and it is never shown. */
export interface Address {
  readonly url: string
  readonly host: string
  readonly port: number
  readonly database: string
  readonly user: string
}

/** Describes a database for people. @example "the database remora at db.example:5432" */
export function describeAddress({ host, port, database }: Address): string {
  // The host is a socket folder, a name, or an IPv6 address.
  const location = host.startsWith('/') ? host : `${host.includes(':') ? `[${host}]` : host}:${port}`
  return `the database ${database} at ${location}`
}

/** The settings of all connections, including the one that listens. */
export function createClientConfig(url: string): ClientConfig {
  return {
    connectionString: checkUrl(url),
    connectionTimeoutMillis: connectMs,
    statement_timeout: statementMs,
    // A network may fail without closing the connection.
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

function checkUrl(url: string): string {
  const known = /^postgres(?:ql)?:\/\//.test(url) && URL.canParse(url.replace('@/', '@localhost/'))
  if (known) return url
  throw new RemoraError('config', 'The address of the database is not a PostgreSQL URL', {
    hint: 'Use postgres://user:password@host:5432/database, and write @ and / in a password as %40 and %2F.',
  })
}

export function toAddress(url: string, { host, port, database, user }: Client): Address {
  return { url, host, port, database: database ?? '', user: user ?? '' }
}

/** Parses numbers as numbers, since none of ours exceeds 2^53, and decodes texts. */
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

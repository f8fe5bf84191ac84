import { hash } from 'node:crypto'
import type { SessionKey } from '@remora/ledger'

/**
 * Hashes names of any length for an index: 128 bits, written as a uuid. Different lists of parts have different hashes.
 *
 * @example hashKey('claude', 'session 1')
 */
export function hashKey(...parts: readonly string[]): string {
  const hex = hashHex(parts)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`
}

/** The same without dashes. */
export function hashHex(parts: readonly string[]): string {
  // As JSON, since lone surrogates would all be hashed alike.
  return hash('sha256', JSON.stringify(parts), 'hex').slice(0, 32)
}

/** The key of a session in all tables. */
export function hashSession({ agent, session }: SessionKey): string {
  return hashKey(agent, session)
}

import { hash } from 'node:crypto'
import type { SessionKey } from '@remora/ledger'

/**
 * What stands for a name of any length in an index: 128 bits, written as a uuid. Of several parts no two lists are alike.
 *
 * @example hashKey('claude', 'session 1')
 */
export function hashKey(...parts: readonly string[]): string {
  const hex = hashHex(parts)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`
}

/** The same without dashes, where nobody reads it back. */
export function hashHex(parts: readonly string[]): string {
  // As JSON, since half of a sign (a lone surrogate) would be hashed like any other half.
  return hash('sha256', JSON.stringify(parts), 'hex').slice(0, 32)
}

/** The key of a session, wherever a table has one. */
export function hashSession({ agent, session }: SessionKey): string {
  return hashKey(agent, session)
}

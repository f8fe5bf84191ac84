import { hash } from 'node:crypto'
import { asString } from './fields.ts'

/** Computes a short hash of bytes. @example computeDigest('{"id":1}') // 22 letters and digits */
export function computeDigest(bytes: string | Uint8Array): string {
  // 128 bits are enough to distinguish records, and halve the size of the index.
  return hash('sha1', bytes, 'base64url').slice(0, 22)
}

/** Creates the session id for hook payloads without one: each folder is a session. @example createFolderSessionId('kiro', '/work') */
export function createFolderSessionId(agent: string, cwd: unknown): string {
  return `${agent}-${computeDigest(asString(cwd) ?? '')}`
}

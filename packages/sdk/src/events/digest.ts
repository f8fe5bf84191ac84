import { hash } from 'node:crypto'
import { asString } from './fields.ts'

/** A short name for exactly these bytes. @example computeDigest('{"id":1}') // 22 letters and digits */
export function computeDigest(bytes: string | Uint8Array): string {
  // 128 bits are enough to tell records apart, and half of what the index would have to hold.
  return hash('sha1', bytes, 'base64url').slice(0, 22)
}

/** The session of payloads that name none: there is one for each folder. @example createFolderSessionId('kiro', '/home/me/work') */
export function createFolderSessionId(agent: string, cwd: unknown): string {
  return `${agent}-${computeDigest(asString(cwd) ?? '')}`
}

import { hash } from 'node:crypto'

/** A short name for exactly these bytes. @example computeDigest('{"id":1}') // 22 letters and digits */
export function computeDigest(bytes: string | Uint8Array): string {
  // 128 bits are enough to tell records apart, and half of what the index would have to hold.
  return hash('sha1', bytes, 'base64url').slice(0, 22)
}

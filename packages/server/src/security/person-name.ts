import { userInfo } from 'node:os'
import { RemoraError } from '@remora/protocol/plain'

const maxLength = 60
/** Letters of any language and digits, with the punctuation of names and mail addresses between them. */
const namePattern = /^[\p{L}\p{N}][\p{L}\p{M}\p{N} ._@'’+-]*$/u
/** Actors in the audit log that are not people. */
const reservedNames = new Set(['person', 'policy', 'terminal', 'timeout', 'cancel', 'server', 'everybody'])

/** Normalizes a name, or throws `usage`. @example parsePersonName('  Ann   Lee ') // 'Ann Lee' */
export function parsePersonName(text: string): string {
  const name = text.normalize('NFC').replaceAll(/\s+/g, ' ').trim()
  if (name.length <= maxLength && namePattern.test(name) && !reservedNames.has(toPersonKey(name))) return name
  throw new RemoraError('usage', `Invalid person name "${toPrintable(text)}"`, {
    hint: `Use up to ${maxLength} letters, digits, spaces and . _ @ ' + -, but not: ${[...reservedNames].join(', ')}`,
  })
}

/** Returns the same key for every spelling of a name. */
export function toPersonKey(name: string): string {
  return name.normalize('NFKC').replaceAll(/\s+/g, ' ').trim().toLowerCase()
}

/** Returns the name of the user of this machine. @example getLocalPerson() // 'ann' */
export function getLocalPerson(): string {
  try {
    return parsePersonName(userInfo().username)
  } catch {
    // The user id has no name, as in a container, or its name is reserved.
    return 'owner'
  }
}

/** Removes characters that could control a terminal. */
function toPrintable(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').slice(0, maxLength)
}

import { userInfo } from 'node:os'
import { RemoraError } from '@remora/protocol/plain'

const longest = 60
/** Letters of any language and digits; between them also what names and addresses of mail have. */
const shape = /^[\p{L}\p{N}][\p{L}\p{M}\p{N} ._@'’+-]*$/u
/** Those who are no people, and stand in the audit log too. */
const taken = new Set(['person', 'policy', 'terminal', 'timeout', 'cancel', 'server', 'everybody'])

/** A name as it is kept and shown; throws `usage` for what is none. @example personName('  Ann   Lee ') // 'Ann Lee' */
export function personName(text: string): string {
  const name = text.normalize('NFC').replaceAll(/\s+/g, ' ').trim()
  if (name.length <= longest && shape.test(name) && !taken.has(personKey(name))) return name
  throw new RemoraError('usage', `Invalid person name "${shown(text)}"`, {
    hint: `Use up to ${longest} letters, digits, spaces and . _ @ ' + -, but not: ${[...taken].join(', ')}`,
  })
}

/** The same for all ways to write one name: a person is the same by name everywhere. */
export function personKey(name: string): string {
  return name.normalize('NFKC').replaceAll(/\s+/g, ' ').trim().toLowerCase()
}

/** What the user of this machine is called. @example localPerson() // 'ann' */
export function localPerson(): string {
  try {
    return personName(userInfo().username)
  } catch {
    // Nobody of that number is known to the machine, as in a container, or it is called by a name of ours.
    return 'owner'
  }
}

/** What a terminal takes. */
function shown(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').slice(0, longest)
}

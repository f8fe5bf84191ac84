import { createHash, randomInt, timingSafeEqual } from 'node:crypto'
import type { AuditLog } from '@remora/ledger'
import type { Log } from '../core/log.ts'
import { HttpError } from './http-error.ts'
import { type Limits, limits } from './limits.ts'
import { toPersonKey } from './people.ts'

/** 32 characters that are not confused with each other, 5 bits each. */
const alphabet = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789'
const codeLength = 12
const invalidCode = 'This code is invalid, used or expired'
const pairHint = 'Create a new one on the computer: remora pair'

interface Code {
  readonly hash: Buffer
  readonly expiresAt: number
  /** The owner of the device that uses the code. */
  readonly person: string
}

export interface PairingOptions {
  readonly audit: Pick<AuditLog, 'append'>
  readonly log: Log
  /** The person that codes are for by default. */
  readonly local: string
  readonly now?: () => number
  readonly limits?: Pick<Limits, 'guesses' | 'codeMs' | 'codes'>
}

/**
 * One-time codes of 60 bits, created on the machine and valid for two minutes. Wrong codes lock out their address, and
 * many wrong codes lock out every address until the user creates a new code.
 *
 * @example pairing.create('ann').code // 'K7QM-2XHD-PB9R'
 */
export class Pairing {
  readonly #options: PairingOptions
  readonly #now: () => number
  readonly #limits: Pick<Limits, 'guesses' | 'codeMs' | 'codes'>
  #codes: Code[] = []
  /** Wrong codes by address; bounded by the total limit. */
  readonly #guesses = new Map<string, { count: number; until: number }>()
  #all = { count: 0, until: 0 }

  constructor(options: PairingOptions) {
    this.#options = options
    this.#now = options.now ?? Date.now
    this.#limits = options.limits ?? limits
  }

  /** Creates a code and resets the lockouts, since earlier guesses reveal nothing about it. */
  create(person = this.#options.local): { readonly code: string; readonly expiresAt: number } {
    this.#guesses.clear()
    this.#all = { count: 0, until: 0 }
    const code = Array.from({ length: codeLength }, () => alphabet[randomInt(alphabet.length)]).join('')
    const expiresAt = this.#now() + this.#limits.codeMs
    this.#codes = [
      ...this.#listValid().slice(1 - this.#limits.codes),
      { hash: hashCode(code), expiresAt, person },
    ]
    return { code: code.match(/.{4}/g)!.join('-'), expiresAt }
  }

  /** Consumes a code and returns its person, or throws. */
  async redeem(code: string, address: string): Promise<string> {
    this.#checkLockout(address)
    const hash = hashCode(code.toUpperCase().replaceAll(/[\s-]/g, ''))
    this.#codes = this.#listValid()
    let found = -1
    for (const [index, each] of this.#codes.entries()) if (timingSafeEqual(each.hash, hash)) found = index
    const [used] = found < 0 ? [] : this.#codes.splice(found, 1)
    if (used) return used.person
    await this.#countFailure(address)
    throw new HttpError(403, 'auth', invalidCode, pairHint)
  }

  /** Removes the codes of a person. */
  removeCodes(person: string): void {
    this.#codes = this.#codes.filter((each) => toPersonKey(each.person) !== toPersonKey(person))
  }

  #checkLockout(address: string): void {
    const now = this.#now()
    const until = Math.max(this.#all.until, this.#guesses.get(address)?.until ?? 0)
    if (until > now)
      throw new HttpError(429, 'rate_limit', 'Too many wrong codes. Try again later.', pairHint, until - now)
  }

  async #countFailure(address: string): Promise<void> {
    const { perAddress, inAll, lockedMs } = this.#limits.guesses
    const now = this.#now()
    const own = this.#guesses.get(address) ?? { count: 0, until: 0 }
    own.count += 1
    this.#guesses.set(address, own)
    this.#all.count += 1
    if (this.#all.count >= inAll) {
      this.#all = { count: 0, until: now + lockedMs }
      this.#guesses.clear()
      this.#codes = []
      await this.#reportLockout('everybody', lockedMs)
    } else if (own.count >= perAddress) {
      own.count = 0
      own.until = now + lockedMs
      await this.#reportLockout(address, lockedMs)
    }
  }

  async #reportLockout(who: string, forMs: number): Promise<void> {
    this.#options.log('warn', 'Too many wrong pairing codes', { who, forMs })
    await this.#options.audit.append({ what: 'lockout', who, detail: { forMs } })
  }

  #listValid(): Code[] {
    const now = this.#now()
    return this.#codes.filter(({ expiresAt }) => expiresAt > now)
  }
}

function hashCode(code: string): Buffer {
  return createHash('sha256').update(code).digest()
}

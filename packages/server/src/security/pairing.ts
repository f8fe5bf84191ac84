import { createHash, randomInt, timingSafeEqual } from 'node:crypto'
import type { AuditLog } from '@remora/ledger'
import type { Log } from '../core/log.ts'
import { HttpError } from './http-error.ts'
import { type Limits, limits } from './limits.ts'
import { personKey } from './person-name.ts'

/** Letters that nobody takes for another: 32 of them, 5 bits each. */
const letters = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789'
const length = 12
const wrong = 'This code is invalid, used or expired'
const again = 'Create a new one on the computer: remora pair'

interface Code {
  readonly hash: Buffer
  readonly expiresAt: number
  /** Whose device it lets in. */
  readonly person: string
}

export interface PairingOptions {
  readonly audit: Pick<AuditLog, 'append'>
  readonly log: Log
  /** Whose devices come in where nobody else is named. */
  readonly local: string
  readonly now?: () => number
  readonly limits?: Pick<Limits, 'guesses' | 'codeMs' | 'codes'>
}

/**
 * One-time codes of 60 bits, made on the machine and valid for two minutes. Who guesses is not heard for a while, and
 * when many guess, nobody is, until the user makes a new code.
 *
 * @example pairing.create('ann').code // 'K7QM-2XHD-PB9R'
 */
export class Pairing {
  readonly #options: PairingOptions
  readonly #now: () => number
  readonly #limits: Pick<Limits, 'guesses' | 'codeMs' | 'codes'>
  #codes: Code[] = []
  /** Wrong guesses by address; bounded, since the number of all is. */
  readonly #guesses = new Map<string, { count: number; until: number }>()
  #all = { count: 0, until: 0 }

  constructor(options: PairingOptions) {
    this.#options = options
    this.#now = options.now ?? Date.now
    this.#limits = options.limits ?? limits
  }

  /** The user wants to pair: whoever guessed before is forgiven, since he knows no more than before. */
  create(person = this.#options.local): { readonly code: string; readonly expiresAt: number } {
    this.#guesses.clear()
    this.#all = { count: 0, until: 0 }
    const code = Array.from({ length }, () => letters[randomInt(letters.length)]).join('')
    const expiresAt = this.#now() + this.#limits.codeMs
    this.#codes = [...this.#valid().slice(1 - this.#limits.codes), { hash: hashOf(code), expiresAt, person }]
    return { code: code.match(/.{4}/g)!.join('-'), expiresAt }
  }

  /** Uses up a code and tells for whom it was made, or throws. */
  async redeem(code: string, address: string): Promise<string> {
    this.#refuseGuessers(address)
    const hash = hashOf(code.toUpperCase().replaceAll(/[\s-]/g, ''))
    this.#codes = this.#valid()
    let found = -1
    for (const [index, each] of this.#codes.entries()) if (timingSafeEqual(each.hash, hash)) found = index
    const [used] = found < 0 ? [] : this.#codes.splice(found, 1)
    if (used) return used.person
    await this.#count(address)
    throw new HttpError(403, 'auth', wrong, again)
  }

  /** The codes of somebody who was removed are good for nothing. */
  drop(person: string): void {
    this.#codes = this.#codes.filter((each) => personKey(each.person) !== personKey(person))
  }

  #refuseGuessers(address: string): void {
    const now = this.#now()
    const until = Math.max(this.#all.until, this.#guesses.get(address)?.until ?? 0)
    if (until > now)
      throw new HttpError(429, 'rate_limit', 'Too many wrong codes. Try again later.', again, until - now)
  }

  async #count(address: string): Promise<void> {
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
      await this.#lockedOut('everybody', lockedMs)
    } else if (own.count >= perAddress) {
      own.count = 0
      own.until = now + lockedMs
      await this.#lockedOut(address, lockedMs)
    }
  }

  async #lockedOut(who: string, forMs: number): Promise<void> {
    this.#options.log('warn', 'too many wrong pairing codes', { who, forMs })
    await this.#options.audit.append({ what: 'lockout', who, detail: { forMs } })
  }

  #valid(): Code[] {
    const now = this.#now()
    return this.#codes.filter(({ expiresAt }) => expiresAt > now)
  }
}

function hashOf(code: string): Buffer {
  return createHash('sha256').update(code).digest()
}

import { createHash, randomUUID } from 'node:crypto'
import { RemoraError, canonical } from '@remora/protocol/plain'
import type { AuditEntry, AuditFields, SealedEntry } from '../model/ledger.ts'

export type AuditRow = SealedEntry

export const auditColumns = [
  'number',
  'at',
  'what',
  'who',
  'agent',
  'session',
  'detail',
  'salt',
  'detail_hash',
  'hash',
] as const satisfies readonly (keyof AuditRow)[]

/** Stored apart from the entries, so that removing the last ones is noticed. */
export interface AuditHead {
  readonly count: number
  readonly hash: string
}

interface Broken {
  readonly number: number
  readonly why: string
}

/** The kind of entry that allows details of a session to be missing. */
export const forgottenEntry = 'forgotten'

const missing = 'it is missing'

/** Creates the row that follows the last one. */
export function createAuditRow(head: AuditHead, at: number, fields: AuditFields): AuditRow {
  const detail = fields.detail === undefined ? null : canonical(fields.detail)
  // The salt is deleted together with a forgotten detail, so the detail cannot be guessed from its hash.
  const salt = detail === null ? null : randomUUID()
  const row: Omit<AuditRow, 'hash'> = {
    number: head.count + 1,
    at,
    what: fields.what,
    who: fields.who,
    agent: fields.agent ?? null,
    session: fields.session ?? null,
    detail,
    salt,
    detail_hash: detail === null ? null : digest(salt, detail),
  }
  return { ...row, hash: hashRow(head.hash, row) }
}

/** The head after these rows. Throws if they do not continue the chain. */
export function advanceHead(head: AuditHead, rows: readonly AuditRow[]): AuditHead {
  for (const row of rows) {
    if (findFault(row, head.count + 1, head.hash) !== undefined) throw createChainConflict(row.number)
    head = { count: row.number, hash: row.hash }
  }
  return head
}

export function createChainConflict(number: number): RemoraError {
  return new RemoraError('conflict', `The audit logs differ from entry ${number} on`, {
    hint: 'Move into a ledger without an audit log, or move without the audit log.',
  })
}

/** Checks all entries in order and reports where the chain is broken. */
export class AuditChecker {
  #count = 0
  #hash = ''
  /** The first entry of each session whose detail is missing. */
  readonly #missing = new Map<string, number>()

  get count(): number {
    return this.#count
  }

  /** Returns what is wrong with the next entry, if anything. */
  check(row: AuditRow): Broken | undefined {
    const why = findFault(row, this.#count + 1, this.#hash)
    if (why !== undefined) return { number: why === missing ? this.#count + 1 : row.number, why }
    this.#count = row.number
    this.#hash = row.hash
    const session = JSON.stringify([row.agent, row.session])
    if (row.what === forgottenEntry) this.#missing.delete(session)
    if (row.detail_hash !== null && row.detail === null && !this.#missing.has(session))
      this.#missing.set(session, row.number)
    return undefined
  }

  /** Returns what is wrong with the chain as a whole, after the last entry. */
  finish(head: AuditHead | undefined): Broken | undefined {
    const count = this.#count
    const [bare] = [...this.#missing.values()].sort((a, b) => a - b)
    if (bare !== undefined) return { number: bare, why: 'its detail was removed' }
    if (!head) return { number: count + 1, why: 'the record of the last entry was removed' }
    if (head.count > count) return { number: count + 1, why: missing }
    if (head.count < count) return { number: head.count + 1, why: 'it was added outside the log' }
    return head.hash === this.#hash ? undefined : { number: count, why: 'it is not the original last entry' }
  }
}

/** What is wrong with an entry at this position, if anything. */
function findFault(row: AuditRow, number: number, before: string): string | undefined {
  if (row.number > number) return missing
  if (row.number < number) return 'its number is invalid'
  if (row.detail !== null && digest(row.salt, row.detail) !== row.detail_hash) return 'its detail was changed'
  if (hashRow(before, row) !== row.hash) return 'it was changed, or does not follow the previous entry'
  return undefined
}

function hashRow(before: string, row: Omit<AuditRow, 'hash'>): string {
  const { number, at, what, who, agent, session, detail_hash: detail } = row
  return digest(before, canonical({ number, at, what, who, agent, session, detail }))
}

function digest(first: string | null, second: string): string {
  return createHash('sha256')
    .update(`${first ?? ''}\n${second}`)
    .digest('hex')
}

export function toAuditEntry(row: AuditRow): AuditEntry {
  const { number, at, what, who, agent, session, detail, hash } = row
  return {
    number,
    at,
    what,
    who,
    ...(agent === null ? {} : { agent }),
    ...(session === null ? {} : { session }),
    ...(detail === null ? {} : { detail: JSON.parse(detail) as unknown }),
    hash,
  }
}

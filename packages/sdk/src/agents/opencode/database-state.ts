import { asCount, asRecord, asString } from '../../events/fields.ts'

/** The state after a read. It is stored as JSON. */
export interface State {
  /** Every change before this time, by the clock of the rows, has been read. */
  readonly at: number
  /** Records of the last seconds before it, which are read again. */
  readonly told: readonly (readonly [id: string, digest: string, at: number])[]
  /** The last state of the sessions that were read. */
  readonly sessions: Readonly<Record<string, string>>
  /** Sessions that were reverted to an earlier message. */
  readonly reverted: Readonly<Record<string, string>>
  /** The last row of each table. */
  readonly marks: Marks
  /** An interrupted read: its future state and its position. */
  readonly pass?: { readonly next: Omit<State, 'pass'>; readonly place: Place }
}

export type Marks = Readonly<Record<string, readonly [rowid: number, id: string]>>

/** The position of a read, which goes through sessions, messages and parts in order. */
export interface Place {
  readonly session: readonly [created: number, id: string]
  readonly message?: readonly [created: number, id: string]
  /** The last part that was read; undefined if all were. */
  readonly part?: string
}

/** Rows get their time before they are written, and a writer waits up to five seconds for another. */
export const overlapMs = 5_000

/** @example readState(JSON.parse(text)) */
export function readState(value: unknown): State {
  const fields = asRecord(value)
  // Only this module writes the state, so one check is enough.
  if (asCount(fields?.['at']) === undefined || !Array.isArray(fields?.['told'])) return emptyState
  return fields as unknown as State
}

const emptyState: State = { at: 0, told: [], sessions: {}, reverted: {}, marks: {} }

/** Whether `a` is before `b`. @example isBefore([1, 'a'], [1, 'b']) // true */
export function isBefore(a: readonly [number, string], b: readonly [number, string]): boolean {
  return a[0] < b[0] || (a[0] === b[0] && a[1] < b[1])
}

const maxSeen = 2_000
const mostSessions = 50

/** Collects the next state and keeps it small. Forgotten records are read once more, which changes nothing. */
export class Memory {
  readonly #before: Omit<State, 'pass'>
  readonly #at: number
  readonly #marks: Marks
  readonly #seen: Map<string, readonly [digest: string, at: number]>
  readonly #sessions: Map<string, string>
  readonly #reverted: Map<string, string>

  constructor(before: Omit<State, 'pass'>, next: Pick<State, 'at' | 'marks'> & Partial<State>) {
    this.#before = before
    this.#at = next.at
    this.#marks = next.marks
    this.#seen = new Map((next.told ?? before.told).map(([id, digest, at]) => [id, [digest, at]]))
    this.#sessions = new Map(Object.entries(next.sessions ?? before.sessions))
    this.#reverted = new Map(Object.entries(next.reverted ?? before.reverted))
  }

  /** Returns false if exactly this record was read before. */
  isNew(id: string, digest: string, at: number): boolean {
    const known = this.#seen.get(id)?.[0] === digest
    if (at >= this.#at - overlapMs) this.#seen.set(id, [digest, at])
    return !known
  }

  isNewSession(id: string, digest: string): boolean {
    const known = this.#sessions.get(id) === digest
    this.#sessions.delete(id)
    this.#sessions.set(id, digest)
    return !known
  }

  /** Returns a change: reverted, or not any more. */
  revert(id: string, digest: string | undefined): 'back' | 'kept' | undefined {
    const known = this.#reverted.get(id)
    if (digest === known) return undefined
    if (digest === undefined) this.#reverted.delete(id)
    else this.#reverted.set(id, digest)
    return digest === undefined ? 'kept' : 'back'
  }

  state(place?: Place): State {
    const told = [...this.#seen].filter(([, [, at]]) => at >= this.#at - overlapMs).slice(-maxSeen)
    const next = {
      at: this.#at,
      told: told.map(([id, [digest, at]]) => [id, digest, at] as const),
      sessions: Object.fromEntries([...this.#sessions].slice(-mostSessions)),
      reverted: Object.fromEntries(this.#reverted),
      marks: this.#marks,
    }
    return place ? { ...this.#before, pass: { next, place } } : next
  }
}

/** @example parseMark({ rowid: 3, id: 'msg_1' }) */
export function parseMark(row: unknown): readonly [number, string] | undefined {
  const fields = asRecord(row)
  const rowid = asCount(fields?.['rowid'])
  const id = asString(fields?.['id'])
  return rowid === undefined || id === undefined ? undefined : [rowid, id]
}

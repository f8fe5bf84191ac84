import type { AuditLog } from '@remora/ledger'
import { RemoraError } from '@remora/protocol/plain'
import type { Collection, Store } from '../core/store.ts'
import { limits } from './limits.ts'
import type { Role } from './roles.ts'
import { userInfo } from 'node:os'

/** A person who may pair devices. */
export interface Person {
  readonly name: string
  readonly role: Role
  readonly addedAt: number
}

/** The result of adding a person or changing a role. */
export interface Enrolment {
  readonly person: Person
  /** Whether the person is new. */
  readonly added: boolean
  /** The earlier role, if it changed. */
  readonly was?: Role
}

export interface PeopleOptions {
  readonly store: Store
  readonly audit: Pick<AuditLog, 'append'>
  /** The user of this machine, who is always an owner. */
  readonly local: string
  readonly now?: () => number
  readonly maxPeople?: number
}

/** The role of a person who is added without one. */
const defaultRole: Role = 'viewer'

/**
 * The people who may pair devices, by name. They are one collection of the store, so machines that share a store share
 * their people.
 *
 * @example await people.enrol('Bob', 'member', 'ann, this machine')
 */
export class People {
  /** The name of the user of this machine. */
  readonly local: string
  readonly #collection: Collection<Person>
  readonly #audit: Pick<AuditLog, 'append'>
  readonly #now: () => number
  readonly #maxPeople: number
  readonly #byKey = new Map<string, Person>()
  readonly #listeners = new Set<(name: string) => void>()
  /** Serializes changes, so that the store and the memory stay equal. */
  #work: Promise<unknown> = Promise.resolve()

  private constructor(options: PeopleOptions) {
    this.local = options.local
    this.#collection = options.store.collection<Person>('people')
    this.#audit = options.audit
    this.#now = options.now ?? Date.now
    this.#maxPeople = options.maxPeople ?? limits.people
  }

  static async load(options: PeopleOptions): Promise<People> {
    const people = new People(options)
    for (const [key, person] of await people.#collection.all()) people.#byKey.set(key, person)
    const key = toPersonKey(options.local)
    const known = people.#byKey.get(key)
    if (known) people.#byKey.set(key, { ...known, role: 'owner' })
    else await people.#put({ name: options.local, role: 'owner', addedAt: people.#now() })
    return people
  }

  /** Lists the local user first, then people by role. */
  list(): Person[] {
    const getRank = (person: Person): number => (this.isLocal(person.name) ? 0 : roleRanks[person.role])
    return [...this.#byKey.values()].sort((a, b) => getRank(a) - getRank(b) || a.name.localeCompare(b.name))
  }

  find(name: string): Person | undefined {
    return this.#byKey.get(toPersonKey(name))
  }

  isLocal(name: string): boolean {
    return toPersonKey(name) === toPersonKey(this.local)
  }

  /** Adds a person. A known person keeps their role, unless one is given. */
  enrol(name: string, role: Role | undefined, by: string): Promise<Enrolment> {
    return this.#serialize(async () => {
      const known = this.find(name)
      if (known) return role === undefined ? { person: known, added: false } : this.#change(known, role, by)
      if (this.#byKey.size >= this.#maxPeople)
        throw new RemoraError('conflict', 'Too many people', {
          hint: 'Remove people who no longer need access: remora people',
        })
      const person = { name: parsePersonName(name), role: role ?? defaultRole, addedAt: this.#now() }
      await this.#put(person)
      await this.#audit.append({
        what: 'person added',
        who: by,
        detail: { person: person.name, role: person.role },
      })
      return { person, added: true }
    })
  }

  setRole(name: string, role: Role, by: string): Promise<Enrolment> {
    return this.#serialize(() => this.#change(this.#require(name), role, by))
  }

  /** Removes a person, whose devices lose access. */
  remove(name: string, by: string): Promise<Person> {
    return this.#serialize(async () => {
      const person = this.#require(name)
      this.#checkNotLocal(person, 'removed')
      this.#byKey.delete(toPersonKey(person.name))
      await this.#collection.remove(toPersonKey(person.name))
      await this.#audit.append({
        what: 'person removed',
        who: by,
        detail: { person: person.name, role: person.role },
      })
      return person
    })
  }

  /** Notifies of every changed role. */
  onRole(listener: (name: string) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  async #change(known: Person, role: Role, by: string): Promise<Enrolment> {
    if (known.role === role) return { person: known, added: false }
    this.#checkNotLocal(known, `made a ${role}`)
    const person = { ...known, role }
    await this.#put(person)
    for (const listener of this.#listeners) listener(person.name)
    const detail = { person: person.name, from: known.role, to: role }
    await this.#audit.append({ what: 'role', who: by, detail })
    return { person, added: false, was: known.role }
  }

  /** Keeps the local user an owner, so that there is always one. */
  #checkNotLocal({ name }: Person, what: string): void {
    if (!this.isLocal(name)) return
    throw new RemoraError('conflict', `${name} cannot be ${what}: the local user stays an owner`, {
      hint: 'List people: remora people',
    })
  }

  #require(name: string): Person {
    const person = this.find(name)
    if (person) return person
    throw new RemoraError('not_found', `No person "${name.slice(0, 60)}"`, {
      hint: 'List people: remora people',
    })
  }

  async #put(person: Person): Promise<void> {
    await this.#collection.put(toPersonKey(person.name), person)
    this.#byKey.set(toPersonKey(person.name), person)
  }

  #serialize<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#work.then(work)
    this.#work = result.catch(() => {})
    return result
  }
}

const roleRanks: Record<Role, number> = { owner: 1, member: 2, viewer: 3 }

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

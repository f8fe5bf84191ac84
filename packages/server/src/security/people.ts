import type { AuditLog } from '@remora/ledger'
import { RemoraError } from '@remora/protocol/plain'
import type { Collection, Store } from '../core/store.ts'
import { limits } from './limits.ts'
import { personKey, personName } from './person-name.ts'
import type { Role } from './roles.ts'

/** Somebody whose devices come in. */
export interface Person {
  readonly name: string
  readonly role: Role
  readonly addedAt: number
}

/** What became of somebody who is to come in. */
export interface Enrolled {
  readonly person: Person
  /** Nobody of that name was known before. */
  readonly added: boolean
  /** The role before, where it was another one. */
  readonly was?: Role
}

export interface PeopleOptions {
  readonly store: Store
  readonly audit: Pick<AuditLog, 'append'>
  /** The user of this machine, who is always an owner. */
  readonly local: string
  readonly now?: () => number
  readonly most?: number
}

/** Who is given no role may look, until an owner says more. */
const least: Role = 'viewer'

/**
 * The people whose devices may speak with this server, by name. All that is kept is in one collection, so that machines
 * which share a store share the people in it.
 *
 * @example await people.enrol('Bob', 'member', 'ann, this machine')
 */
export class People {
  /** The name of the user of this machine. */
  readonly local: string
  readonly #collection: Collection<Person>
  readonly #audit: Pick<AuditLog, 'append'>
  readonly #now: () => number
  readonly #most: number
  readonly #byKey = new Map<string, Person>()
  readonly #listeners = new Set<(name: string) => void>()
  /** One change after the other: what is kept and what counts here are then the same. */
  #work: Promise<unknown> = Promise.resolve()

  private constructor(options: PeopleOptions) {
    this.local = options.local
    this.#collection = options.store.collection<Person>('people')
    this.#audit = options.audit
    this.#now = options.now ?? Date.now
    this.#most = options.most ?? limits.people
  }

  static async load(options: PeopleOptions): Promise<People> {
    const people = new People(options)
    for (const [key, person] of await people.#collection.all()) people.#byKey.set(key, person)
    const key = personKey(options.local)
    const known = people.#byKey.get(key)
    if (known) people.#byKey.set(key, { ...known, role: 'owner' })
    else await people.#put({ name: options.local, role: 'owner', addedAt: people.#now() })
    return people
  }

  /** The user of this machine first, then those who may most. */
  list(): Person[] {
    const rank = (person: Person): number => (this.isLocal(person.name) ? 0 : ranks[person.role])
    return [...this.#byKey.values()].sort((a, b) => rank(a) - rank(b) || a.name.localeCompare(b.name))
  }

  find(name: string): Person | undefined {
    return this.#byKey.get(personKey(name))
  }

  isLocal(name: string): boolean {
    return personKey(name) === personKey(this.local)
  }

  /** Makes sure that somebody of this name is known; the role of one who is known stays, unless it is given. */
  enrol(name: string, role: Role | undefined, by: string): Promise<Enrolled> {
    return this.#inTurn(async () => {
      const known = this.find(name)
      if (known) return role === undefined ? { person: known, added: false } : this.#change(known, role, by)
      if (this.#byKey.size >= this.#most)
        throw new RemoraError('conflict', 'Too many people', {
          hint: 'Remove people who no longer need access: remora people',
        })
      const person = { name: personName(name), role: role ?? least, addedAt: this.#now() }
      await this.#put(person)
      await this.#audit.append({
        what: 'person added',
        who: by,
        detail: { person: person.name, role: person.role },
      })
      return { person, added: true }
    })
  }

  setRole(name: string, role: Role, by: string): Promise<Enrolled> {
    return this.#inTurn(() => this.#change(this.#mustFind(name), role, by))
  }

  /** From now on the devices of this person are nobody's; whoever keeps them lets go of them. */
  remove(name: string, by: string): Promise<Person> {
    return this.#inTurn(async () => {
      const person = this.#mustFind(name)
      this.#refuseLocal(person, 'removed')
      this.#byKey.delete(personKey(person.name))
      await this.#collection.remove(personKey(person.name))
      await this.#audit.append({
        what: 'person removed',
        who: by,
        detail: { person: person.name, role: person.role },
      })
      return person
    })
  }

  /** Tells of everybody who got another role. */
  onRole(listener: (name: string) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  async #change(known: Person, role: Role, by: string): Promise<Enrolled> {
    if (known.role === role) return { person: known, added: false }
    this.#refuseLocal(known, `made a ${role}`)
    const person = { ...known, role }
    await this.#put(person)
    for (const listener of this.#listeners) listener(person.name)
    const detail = { person: person.name, from: known.role, to: role }
    await this.#audit.append({ what: 'role', who: by, detail })
    return { person, added: false, was: known.role }
  }

  /** An owner is always left: the user of the machine, who could make himself one again anyway. */
  #refuseLocal({ name }: Person, what: string): void {
    if (!this.isLocal(name)) return
    throw new RemoraError('conflict', `${name} cannot be ${what}: the local user stays an owner`, {
      hint: 'List people: remora people',
    })
  }

  #mustFind(name: string): Person {
    const person = this.find(name)
    if (person) return person
    throw new RemoraError('not_found', `No person "${name.slice(0, 60)}"`, {
      hint: 'List people: remora people',
    })
  }

  async #put(person: Person): Promise<void> {
    await this.#collection.put(personKey(person.name), person)
    this.#byKey.set(personKey(person.name), person)
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#work.then(work)
    this.#work = turn.catch(() => {})
    return turn
  }
}

const ranks: Record<Role, number> = { owner: 1, member: 2, viewer: 3 }

import { createHash, randomBytes } from 'node:crypto'
import type { AuditLog } from '@remora/ledger'
import { RemoraError } from '@remora/protocol/plain'
import type { Collection, Store } from '../core/store.ts'
import { limits } from './limits.ts'
import type { People } from './people.ts'
import { personKey } from './person-name.ts'
import { labelOf } from './who.ts'

/** A phone or browser that was paired. */
export interface Device {
  readonly id: string
  readonly name: string
  /** Whose it is. */
  readonly person: string
  readonly pairedAt: number
  readonly seenAt: number
}

interface Kept extends Omit<Device, 'person'> {
  /** Absent where it was paired before there were people: then it is the user's of this machine. */
  readonly person?: string
  /** Of its token, which nobody but the device has. */
  readonly hash: string
}

const again = 'Create a new code on the computer: remora pair'

/** How exactly it is known when a device was seen last. */
const seenEveryMs = 10 * 60_000

export interface DevicesOptions {
  readonly store: Store
  readonly audit: Pick<AuditLog, 'append'>
  readonly people: Pick<People, 'find' | 'local'>
  readonly now?: () => number
  readonly idleMs?: number
  readonly most?: number
}

/**
 * The devices that may speak with this server. Tokens have 256 bits and are kept as hashes only.
 *
 * @example const { device, token } = await devices.add("Ann's phone", { person: 'Ann' })
 */
export class Devices {
  readonly #collection: Collection<Kept>
  readonly #audit: Pick<AuditLog, 'append'>
  readonly #people: Pick<People, 'find' | 'local'>
  readonly #now: () => number
  readonly #idleMs: number
  readonly #most: number
  readonly #byId = new Map<string, Kept>()
  readonly #byHash = new Map<string, string>()
  /** When each device last showed its token. Only now and then is it stored. */
  readonly #seen = new Map<string, number>()
  readonly #listeners = new Set<(id: string) => void>()

  private constructor(options: DevicesOptions) {
    this.#collection = options.store.collection<Kept>('devices')
    this.#audit = options.audit
    this.#people = options.people
    this.#now = options.now ?? Date.now
    this.#idleMs = options.idleMs ?? limits.deviceIdleMs
    this.#most = options.most ?? limits.devices
  }

  static async load(options: DevicesOptions): Promise<Devices> {
    const devices = new Devices(options)
    for (const kept of (await devices.#collection.all()).values()) devices.#keep(kept)
    return devices
  }

  async add(
    name: string,
    { person = this.#people.local, address }: { readonly person?: string; readonly address?: string } = {},
  ): Promise<{ device: Device; token: string }> {
    const owner = this.#people.find(person)
    // Removed while the code was on its way.
    if (!owner) throw new RemoraError('auth', `Person "${person}" no longer exists`, { hint: again })
    if (this.#byId.size >= this.#most)
      throw new RemoraError('conflict', 'Too many devices are paired', {
        hint: 'Revoke unused devices: remora devices',
      })
    const token = randomBytes(32).toString('base64url')
    const at = this.#now()
    const id = `d-${randomBytes(5).toString('hex')}`
    const kept: Kept = {
      id,
      name: cleanName(name),
      person: owner.name,
      pairedAt: at,
      seenAt: at,
      hash: hashOf(token),
    }
    await this.#collection.put(id, kept)
    this.#keep(kept)
    await this.#audit.append({
      what: 'paired',
      who: `${owner.name}, ${labelOf(kept)}`,
      detail: { device: id, person: owner.name, role: owner.role, ...(address ? { address } : {}) },
    })
    return { device: this.#shown(kept), token }
  }

  /** Whose token it is, if anybody's. */
  byToken(token: string): Device | undefined {
    const id = this.#byHash.get(hashOf(token))
    const kept = id === undefined ? undefined : this.#byId.get(id)
    if (!kept || this.#now() - kept.seenAt > this.#idleMs) return undefined
    this.#seen.set(kept.id, this.#now())
    const device = this.#shown(kept)
    // Of somebody who was removed: it is still shown and can be revoked, and does not come in.
    return this.#people.find(device.person) ? device : undefined
  }

  get(id: string): Device | undefined {
    const kept = this.#byId.get(id)
    return kept && this.#shown(kept)
  }

  list(): Device[] {
    return [...this.#byId.values()].map((kept) => this.#shown(kept)).sort((a, b) => b.seenAt - a.seenAt)
  }

  /** Those of one person. */
  of(person: string): Device[] {
    return this.list().filter((device) => personKey(device.person) === personKey(person))
  }

  /** Remembers that a device was here; written now and then only. */
  async seen(id: string): Promise<void> {
    const kept = this.#byId.get(id)
    const now = this.#now()
    if (!kept || now - kept.seenAt < seenEveryMs) return
    await this.#put({ ...kept, seenAt: now })
  }

  async rename(id: string, name: string): Promise<Device> {
    const kept = this.#byId.get(id)
    if (!kept) throw missing(id)
    const renamed = { ...kept, name: cleanName(name) }
    await this.#put(renamed)
    return this.#shown(renamed)
  }

  /** From now on its token is nobody's, and its connections end at once. */
  async revoke(id: string, who: string): Promise<void> {
    const kept = this.#byId.get(id)
    if (!kept) throw missing(id)
    this.#byId.delete(id)
    this.#byHash.delete(kept.hash)
    for (const listener of this.#listeners) listener(id)
    await this.#collection.remove(id)
    const { name, person } = this.#shown(kept)
    await this.#audit.append({ what: 'revoked', who, detail: { device: id, name, person } })
  }

  onRevoked(listener: (id: string) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  async #put(kept: Kept): Promise<void> {
    this.#keep(kept)
    await this.#collection.put(kept.id, kept)
    // Revoked while it was written: it must not come back with the next start.
    if (!this.#byId.has(kept.id)) await this.#collection.remove(kept.id)
  }

  #keep(kept: Kept): void {
    this.#byId.set(kept.id, kept)
    this.#byHash.set(kept.hash, kept.id)
  }

  #shown({ id, name, person = this.#people.local, pairedAt, seenAt }: Kept): Device {
    const owner = this.#people.find(person)?.name ?? person
    return { id, name, person: owner, pairedAt, seenAt: Math.max(seenAt, this.#seen.get(id) ?? 0) }
  }
}

function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('base64url')
}

/** A name goes into logs and terminals: no control signs, no line breaks, nothing that turns text around. */
function cleanName(name: string): string {
  const clean = name
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()
    .slice(0, 60)
  return clean === '' ? 'a device' : clean
}

function missing(id: string): RemoraError {
  return new RemoraError('not_found', `No device ${id}`, {
    hint: 'List devices: remora devices',
  })
}

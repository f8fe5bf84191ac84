import { createHash, randomBytes } from 'node:crypto'
import type { AuditLog } from '@remora/ledger'
import { RemoraError } from '@remora/protocol/plain'
import type { Collection, Store } from '../core/store.ts'
import { HttpError } from './http-error.ts'
import { limits } from './limits.ts'
import { type People, toPersonKey } from './people.ts'
import { formatDeviceLabel } from './who.ts'

/** A paired phone or browser. */
export interface Device {
  readonly id: string
  readonly name: string
  /** The owner of the device. */
  readonly person: string
  readonly pairedAt: number
  readonly seenAt: number
}

interface StoredDevice extends Omit<Device, 'person'> {
  /** Absent in records of versions without people: such a device belongs to the local user. */
  readonly person?: string
  /** The hash of the token, which only the device has. */
  readonly hash: string
}

const pairHint = 'Create a new code on the computer: remora pair'

/** How often the time of the last contact is stored. */
const storeSeenEveryMs = 10 * 60_000

export interface DevicesOptions {
  readonly store: Store
  readonly audit: Pick<AuditLog, 'append'>
  readonly people: Pick<People, 'find' | 'local'>
  readonly now?: () => number
  readonly idleMs?: number
  readonly maxDevices?: number
}

/**
 * The paired devices. Tokens have 256 bits and are stored as hashes only.
 *
 * @example const { device, token } = await devices.add("Ann's phone", { person: 'Ann' })
 */
export class Devices {
  readonly #collection: Collection<StoredDevice>
  readonly #audit: Pick<AuditLog, 'append'>
  readonly #people: Pick<People, 'find' | 'local'>
  readonly #now: () => number
  readonly #idleMs: number
  readonly #maxDevices: number
  readonly #byId = new Map<string, StoredDevice>()
  readonly #byHash = new Map<string, string>()
  /** When each device was last seen; stored only from time to time. */
  readonly #seen = new Map<string, number>()
  readonly #listeners = new Set<(id: string) => void>()

  private constructor(options: DevicesOptions) {
    this.#collection = options.store.collection<StoredDevice>('devices')
    this.#audit = options.audit
    this.#people = options.people
    this.#now = options.now ?? Date.now
    this.#idleMs = options.idleMs ?? limits.deviceIdleMs
    this.#maxDevices = options.maxDevices ?? limits.devices
  }

  static async load(options: DevicesOptions): Promise<Devices> {
    const devices = new Devices(options)
    for (const stored of (await devices.#collection.all()).values()) devices.#index(stored)
    return devices
  }

  async add(
    name: string,
    { person = this.#people.local, address }: { readonly person?: string; readonly address?: string } = {},
  ): Promise<{ device: Device; token: string }> {
    const owner = this.#people.find(person)
    // The person may have been removed after the code was created.
    if (!owner) throw new HttpError(401, 'auth', `Person "${person}" no longer exists`, pairHint)
    if (this.#byId.size >= this.#maxDevices)
      throw new RemoraError('conflict', 'Too many devices are paired', {
        hint: 'Revoke unused devices: remora devices',
      })
    const token = randomBytes(32).toString('base64url')
    const at = this.#now()
    const id = `d-${randomBytes(5).toString('hex')}`
    const stored: StoredDevice = {
      id,
      name: cleanName(name),
      person: owner.name,
      pairedAt: at,
      seenAt: at,
      hash: hashToken(token),
    }
    await this.#collection.put(id, stored)
    this.#index(stored)
    await this.#audit.append({
      what: 'paired',
      who: `${owner.name}, ${formatDeviceLabel(stored)}`,
      detail: { device: id, person: owner.name, role: owner.role, ...(address ? { address } : {}) },
    })
    return { device: this.#toDevice(stored), token }
  }

  /** Finds the device of a token. */
  findByToken(token: string): Device | undefined {
    const id = this.#byHash.get(hashToken(token))
    const stored = id === undefined ? undefined : this.#byId.get(id)
    if (!stored || this.#now() - stored.seenAt > this.#idleMs) return undefined
    this.#seen.set(stored.id, this.#now())
    const device = this.#toDevice(stored)
    // A device of a removed person is still listed and can be revoked, but has no access.
    return this.#people.find(device.person) ? device : undefined
  }

  get(id: string): Device | undefined {
    const stored = this.#byId.get(id)
    return stored && this.#toDevice(stored)
  }

  list(): Device[] {
    return [...this.#byId.values()]
      .map((stored) => this.#toDevice(stored))
      .sort((a, b) => b.seenAt - a.seenAt)
  }

  /** Lists the devices of one person. */
  listFor(person: string): Device[] {
    return this.list().filter((device) => toPersonKey(device.person) === toPersonKey(person))
  }

  /** Stores that a device was seen, if the last time was a while ago. */
  async markSeen(id: string): Promise<void> {
    const stored = this.#byId.get(id)
    const now = this.#now()
    if (!stored || now - stored.seenAt < storeSeenEveryMs) return
    await this.#put({ ...stored, seenAt: now })
  }

  async rename(id: string, name: string): Promise<Device> {
    const stored = this.#byId.get(id)
    if (!stored) throw createMissingError(id)
    const renamed = { ...stored, name: cleanName(name) }
    await this.#put(renamed)
    return this.#toDevice(renamed)
  }

  /** Invalidates the token and closes the connections of the device. */
  async revoke(id: string, who: string): Promise<void> {
    const stored = this.#byId.get(id)
    if (!stored) throw createMissingError(id)
    this.#byId.delete(id)
    this.#byHash.delete(stored.hash)
    for (const listener of this.#listeners) listener(id)
    await this.#collection.remove(id)
    const { name, person } = this.#toDevice(stored)
    await this.#audit.append({ what: 'revoked', who, detail: { device: id, name, person } })
  }

  onRevoked(listener: (id: string) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  async #put(stored: StoredDevice): Promise<void> {
    this.#index(stored)
    await this.#collection.put(stored.id, stored)
    // A device that was revoked during the write must not return at the next start.
    if (!this.#byId.has(stored.id)) await this.#collection.remove(stored.id)
  }

  #index(stored: StoredDevice): void {
    this.#byId.set(stored.id, stored)
    this.#byHash.set(stored.hash, stored.id)
  }

  #toDevice({ id, name, person = this.#people.local, pairedAt, seenAt }: StoredDevice): Device {
    const owner = this.#people.find(person)?.name ?? person
    return { id, name, person: owner, pairedAt, seenAt: Math.max(seenAt, this.#seen.get(id) ?? 0) }
  }
}

function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('base64url')
}

/** Removes control and bidirectional characters, since names are printed to logs and terminals. */
function cleanName(name: string): string {
  const clean = name
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()
    .slice(0, 60)
  return clean === '' ? 'a device' : clean
}

function createMissingError(id: string): RemoraError {
  return new RemoraError('not_found', `No device ${id}`, {
    hint: 'List devices: remora devices',
  })
}

import { RemoraError } from '@remora/protocol/plain'
import { Preferences } from '@remora/protocol/api'
import type { Collection, Store } from '../core/store.ts'
import { checkEndpoint } from './endpoint.ts'
import type { Subscription } from './send.ts'

export interface Subscriber extends Subscription {
  readonly device: string
  readonly preferences: Preferences
  readonly at: number
  /** Failed deliveries in a row. */
  readonly failures: number
}

const maxFailures = 20

/** Devices with push notifications, each with one subscription. */
export class Subscribers {
  readonly #collection: Collection<Subscriber>
  readonly #allowLoopback: boolean

  constructor(store: Store, options: { readonly allowLoopback?: boolean } = {}) {
    this.#collection = store.collection('push')
    this.#allowLoopback = options.allowLoopback ?? false
  }

  async all(): Promise<Subscriber[]> {
    return [...(await this.#collection.all()).values()]
  }

  async get(device: string): Promise<Subscriber | undefined> {
    return this.#collection.get(device)
  }

  async add(
    device: string,
    { endpoint, keys }: Subscription,
    preferences?: Preferences,
  ): Promise<Subscriber> {
    if (!this.#allowLoopback) checkEndpoint(endpoint)
    const before = await this.get(device)
    // A browser that was paired again keeps its endpoint and must not be notified twice.
    for (const other of await this.all())
      if (other.endpoint === endpoint && other.device !== device) await this.remove(other.device)
    const subscriber: Subscriber = {
      device,
      endpoint,
      keys: { p256dh: keys.p256dh, auth: keys.auth },
      preferences: preferences ?? before?.preferences ?? Preferences.parse({}),
      at: Date.now(),
      failures: 0,
    }
    await this.#collection.put(device, subscriber)
    return subscriber
  }

  async setPreferences(device: string, changes: Partial<Preferences>): Promise<Preferences> {
    const before = await this.get(device)
    if (!before)
      throw new RemoraError('not_found', 'Notifications are off on this device', {
        hint: 'Turn them on in Settings, Notifications.',
      })
    const preferences = { ...before.preferences, ...changes }
    await this.#collection.put(device, { ...before, preferences })
    return preferences
  }

  remove(device: string): Promise<void> {
    return this.#collection.remove(device)
  }

  /** Counts a failed delivery. Returns true if the subscriber was removed after too many. */
  async countFailure(subscriber: Subscriber): Promise<boolean> {
    const now = await this.get(subscriber.device)
    if (now?.endpoint !== subscriber.endpoint) return false
    const failures = now.failures + 1
    if (failures < maxFailures) await this.#collection.put(now.device, { ...now, failures })
    else await this.remove(now.device)
    return failures >= maxFailures
  }

  /** Removes the subscriber unless its device has a new subscription. */
  async removeExpired(subscriber: Subscriber): Promise<void> {
    const now = await this.get(subscriber.device)
    if (now?.endpoint === subscriber.endpoint) await this.remove(subscriber.device)
  }

  async resetFailures(subscriber: Subscriber): Promise<void> {
    const now = await this.get(subscriber.device)
    if (now?.endpoint === subscriber.endpoint && now.failures > 0)
      await this.#collection.put(now.device, { ...now, failures: 0 })
  }
}

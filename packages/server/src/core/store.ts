import type { Ledger } from '@remora/ledger'

/** Small documents of the server by name, such as devices, live sessions and instructions. */
export interface Store {
  collection<T>(name: string): Collection<T>
}

export interface Collection<T> {
  all(): Promise<Map<string, T>>
  get(id: string): Promise<T | undefined>
  put(id: string, value: T): Promise<void>
  remove(id: string): Promise<void>
}

/** Stores documents as marks of the ledger, so that they are backed up with it. @example createLedgerStore(ledger).collection<Device>('devices') */
export function createLedgerStore(ledger: Pick<Ledger, 'append' | 'marks'>): Store {
  return {
    collection<T>(name: string): Collection<T> {
      const prefix = `server/${name}/`
      return {
        async all() {
          const marks = await ledger.marks(prefix)
          return new Map([...marks].map(([mark, value]) => [mark.slice(prefix.length), value as T]))
        },
        async get(id) {
          return (await ledger.marks(`${prefix}${id}`)).get(`${prefix}${id}`) as T | undefined
        },
        async put(id, value) {
          await ledger.append([], { marks: { [`${prefix}${id}`]: value } })
        },
        async remove(id) {
          await ledger.append([], { marks: { [`${prefix}${id}`]: undefined } })
        },
      }
    },
  }
}

import type { Ledger } from '@remora/ledger'

/** Small things that the server keeps, as documents by name: devices, live sessions, instructions. */
export interface Store {
  collection<T>(name: string): Collection<T>
}

export interface Collection<T> {
  all(): Promise<Map<string, T>>
  get(id: string): Promise<T | undefined>
  put(id: string, value: T): Promise<void>
  remove(id: string): Promise<void>
}

/** They are marks of the ledger, so that they are stored and backed up like all else. @example ledgerStore(ledger).collection<Device>('devices') */
export function ledgerStore(ledger: Pick<Ledger, 'append' | 'marks'>): Store {
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

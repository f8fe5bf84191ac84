/**
 * A cache for offline use in IndexedDB. It can be cleared at any time. Without storage, as in a private window,
 * nothing is cached.
 */
const name = 'remora'
const shelf = 'kept'
let opened: Promise<IDBDatabase | undefined> | undefined

/** @example const sessions = await cache.get<SessionInfo[]>('sessions') */
export const cache = {
  get: <T>(key: string) => on<T>('readonly', (store) => store.get(key)),
  put: (key: string, value: unknown) => on('readwrite', (store) => store.put(value, key)),
  /** Removes all entries with a prefix except for the latest ones. */
  async prune(prefix: string, most: number): Promise<void> {
    const keys =
      (await on<IDBValidKey[]>('readonly', (store) =>
        store.getAllKeys(IDBKeyRange.bound(prefix, `${prefix}\uffff`)),
      )) ?? []
    for (const key of keys.slice(0, Math.max(0, keys.length - most)))
      await on('readwrite', (store) => store.delete(key))
  },
  /** For example when the device is unpaired. */
  clear: () => on('readwrite', (store) => store.clear()),
}

async function on<T>(
  mode: IDBTransactionMode,
  action: (store: IDBObjectStore) => IDBRequest,
): Promise<T | undefined> {
  const database = await (opened ??= open())
  if (!database) return undefined
  return await new Promise((resolve) => {
    try {
      const request = action(database.transaction(shelf, mode).objectStore(shelf))
      request.addEventListener('success', () => resolve(request.result as T))
      request.addEventListener('error', () => resolve(undefined))
    } catch {
      resolve(undefined)
    }
  })
}

function open(): Promise<IDBDatabase | undefined> {
  return new Promise((resolve) => {
    try {
      const request = indexedDB.open(name, 1)
      request.addEventListener('upgradeneeded', () => request.result.createObjectStore(shelf))
      request.addEventListener('success', () => resolve(request.result))
      request.addEventListener('error', () => resolve(undefined))
    } catch {
      resolve(undefined)
    }
  })
}

/**
 * What is kept on the device, so that the app has something to show without a connection. It is a copy and may be
 * thrown away at any time; where the browser keeps nothing, as in a private window, nothing is kept.
 */
const name = 'remora'
const shelf = 'kept'
let opened: Promise<IDBDatabase | undefined> | undefined

/** @example const sessions = await cache.get<SessionInfo[]>('sessions') */
export const cache = {
  get: <T>(key: string) => on<T>('readonly', (store) => store.get(key)),
  put: (key: string, value: unknown) => on('readwrite', (store) => store.put(value, key)),
  /** All that begin so, but the last ones put there. */
  async prune(prefix: string, most: number): Promise<void> {
    const keys =
      (await on<IDBValidKey[]>('readonly', (store) =>
        store.getAllKeys(IDBKeyRange.bound(prefix, `${prefix}\uffff`)),
      )) ?? []
    for (const key of keys.slice(0, Math.max(0, keys.length - most)))
      await on('readwrite', (store) => store.delete(key))
  },
  /** As when the device is no longer paired. */
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

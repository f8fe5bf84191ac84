const prefix = 'remora:'

/**
 * Stores small values that survive a reload: drafts, unsent prompts, the theme.
 *
 * @example const outbox = local.read<Unsent[]>('outbox') ?? []
 */
export const local = {
  read<T>(key: string): T | undefined {
    try {
      const text = localStorage.getItem(prefix + key)
      return text === null ? undefined : (JSON.parse(text) as T)
    } catch {
      return undefined
    }
  },
  /** Returns false if the storage is full or missing. */
  write(key: string, value: unknown): boolean {
    try {
      if (value === undefined) localStorage.removeItem(prefix + key)
      else localStorage.setItem(prefix + key, JSON.stringify(value))
      return true
    } catch {
      return false
    }
  },
  /** Lists the keys that begin with `start`. */
  keys(start: string): string[] {
    try {
      return Object.keys(localStorage)
        .filter((key) => key.startsWith(prefix + start))
        .map((key) => key.slice(prefix.length))
    } catch {
      return []
    }
  },
}

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

/** Formats the age of something; a date after 30 days. @example ago(now - 7_200_000, now) // '2 h ago' */
export function ago(at: number, now: number): string {
  const past = now - at
  if (past < minute) return 'just now'
  if (past < hour) return `${Math.floor(past / minute)} min ago`
  if (past < day) return `${Math.floor(past / hour)} h ago`
  return past < 30 * day ? `${Math.floor(past / day)} d ago` : formatDate(at)
}

/** Formats the local date. @example formatDate(Date.now()) // '2026-01-31' */
export function formatDate(at: number): string {
  const date = new Date(at)
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
}

/** Formats the local time. @example formatTime(Date.now()) // '14:05' */
export function formatTime(at: number): string {
  const date = new Date(at)
  return `${two(date.getHours())}:${two(date.getMinutes())}`
}

/**
 * Copies an object with times in milliseconds as ISO 8601, for JSON output. Missing times stay missing.
 *
 * @example withIsoTimes({ id: 'l-1', since: 0 }, 'since') // { id: 'l-1', since: '1970-01-01T00:00:00.000Z' }
 */
export function withIsoTimes<T extends object, K extends keyof T>(
  value: T,
  ...names: readonly K[]
): Omit<T, K> & { [Name in K]: string | Exclude<T[Name], number> } {
  const copy = { ...value } as Record<PropertyKey, unknown>
  for (const name of names) {
    const time = value[name]
    if (typeof time === 'number') copy[name] = new Date(time).toISOString()
  }
  return copy as ReturnType<typeof withIsoTimes<T, K>>
}

function two(value: number): string {
  return String(value).padStart(2, '0')
}

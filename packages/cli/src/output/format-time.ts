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

function two(value: number): string {
  return String(value).padStart(2, '0')
}

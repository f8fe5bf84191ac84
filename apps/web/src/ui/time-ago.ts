import { words } from '../words/index.ts'

/** The time since, or the date if it is long ago. @example formatTimeAgo(Date.now() - 60_000) // '1 min' */
export function formatTimeAgo(at: number, now = Date.now()): string {
  const minutes = Math.floor((now - at) / 60_000)
  if (minutes < 1) return words.time.now
  if (minutes < 60) return words.time.minutes(minutes)
  if (minutes < 24 * 60) return words.time.hours(Math.floor(minutes / 60))
  if (minutes < 7 * 24 * 60) return words.time.days(Math.floor(minutes / 1440))
  const isThisYear = new Date(at).getFullYear() === new Date(now).getFullYear()
  return new Date(at).toLocaleDateString(words.language, {
    day: 'numeric',
    month: 'short',
    ...(isThisYear ? {} : { year: 'numeric' }),
  })
}

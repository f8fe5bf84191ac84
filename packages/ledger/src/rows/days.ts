const dayMs = 86_400_000

/** The day that begins so many days after 1970; undefined for one that no calendar has. */
export function dayName(days: number): string | undefined {
  const date = new Date(days * dayMs)
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString().slice(0, 10)
}

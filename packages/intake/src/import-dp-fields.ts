/** One row of a table, by the names of its columns. */
export type Row = Readonly<Record<string, unknown>>

export function textIn(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** A time as text, or in seconds or milliseconds; 0 for anything else. */
export function timeOf(value: unknown): number {
  const number = Number(value ?? Number.NaN)
  if (Number.isFinite(number)) return number < 1e11 ? number * 1000 : number
  // Go writes the name of the zone as well, which is not for everybody to read.
  const parts = /^(\S+) (\d\d:\d\d:\d\d(?:\.\d+)?) ([+-]\d\d)(\d\d)/.exec(String(value))
  const time = Date.parse(parts ? `${parts[1]}T${parts[2]}${parts[3]}:${parts[4]}` : String(value))
  return Number.isNaN(time) ? 0 : time
}

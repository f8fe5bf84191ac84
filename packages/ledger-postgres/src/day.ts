/** How many days after 1970 a moment is, in a query. @example dayOf('c.at') */
export function dayOf(moment: string): string {
  return `floor(${moment} / 86400000.0)::double precision`
}

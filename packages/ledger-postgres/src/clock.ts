/** The present time in milliseconds where somebody else than the database tells it, as in tests. */
export type Clock = (() => number) | undefined

/**
 * The present time in a query, whose parameter `place` is what `readClock` gives: the database's own, since the clocks of
 * many machines differ and a wrong one must break nothing.
 *
 * @example queries.run(`UPDATE leases SET expires_at = ${buildNowSql('$1')} + 1000`, readClock(clock))
 */
export function buildNowSql(place: string): string {
  return `coalesce(${place}::double precision, floor(extract(epoch FROM clock_timestamp()) * 1000))::double precision`
}

export function readClock(clock: Clock): number | null {
  return clock ? clock() : null
}

/** SQL for the number of days since 1970 of a time in milliseconds. @example toDaySql('c.at') */
export function toDaySql(moment: string): string {
  return `floor(${moment} / 86400000.0)::double precision`
}

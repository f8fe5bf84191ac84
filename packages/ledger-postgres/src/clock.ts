/** The present time in milliseconds, if it does not come from the database, as in tests. */
export type Clock = (() => number) | undefined

/**
 * SQL for the present time. The parameter `place` is the result of `readClock`; if that is null, the database's clock
 * counts, since the clocks of machines differ.
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

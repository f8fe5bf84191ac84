/** Intervals and timeouts of heartbeats, in milliseconds. */
export interface FleetTimes {
  /** Interval of heartbeats without a change. */
  readonly beatMs: number
  /** Shortest interval between heartbeats, and between checks of other machines. */
  readonly changeMs: number
  /** Interval of checks of other machines without a notification. */
  readonly pollMs: number
  /** A machine without a heartbeat for this long is offline. */
  readonly silentMs: number
  /** How long a command waits for an offline machine. */
  readonly refuseMs: number
  /** Sessions of a machine that is offline for this long are not listed. */
  readonly gaveUpMs: number
}

export const fleetTimes: FleetTimes = {
  beatMs: 5_000,
  changeMs: 250,
  pollMs: 5_000,
  silentMs: 20_000,
  refuseMs: 60_000,
  gaveUpMs: 24 * 60 * 60 * 1000,
}

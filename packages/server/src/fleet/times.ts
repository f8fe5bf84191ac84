/** How often machines tell of themselves, and when one is given up. In milliseconds. */
export interface FleetTimes {
  /** Says that it is there, though nothing has changed. */
  readonly beatMs: number
  /** Tells of changes no more often than this, and looks at those of others. */
  readonly changeMs: number
  /** Looks at the others, though nothing was reported. */
  readonly pollMs: number
  /** After this long without a word nobody knows how a machine is. */
  readonly silentMs: number
  /** So long a command waits for a machine that has fallen silent. */
  readonly refuseMs: number
  /** After this long without a word its sessions are not shown as going on. */
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

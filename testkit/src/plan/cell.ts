/** One cell of the table: an agent, how it is reached, by whom, and what is said to its requests. */
export interface PlanCell {
  readonly agent: string
  readonly version: string
  readonly channel: 'headless' | 'acp' | 'terminal'
  /** The package of the ACP wrapper, for an agent that needs one. */
  readonly wrapper?: string
  readonly user: 'root' | 'ordinary'
  /** Who decides over ACP; a person allows whatever is asked there. The other channels have no such setting. */
  readonly permissions?: 'deny' | 'ask' | 'allow'
}

/** What happened in a cell. */
export interface PlanOutcome {
  /** Files that were created, changed or removed inside or outside the project. */
  readonly changes: readonly string[]
  /** Connections that a command made to a loopback server. */
  readonly connections: number
  /** Whether the model got the content of a file that it read. */
  readonly read: boolean
  /** Titles of what was asked on a terminal, and denied. */
  readonly asked: readonly string[]
  /** Tools whose calls reached the model again as results, so that the attempt is known to have been made. */
  readonly attempts: number
  /** Why the agent was not started at all. */
  readonly refused?: string
}

/** @example describeCell(cell) // 'codex 0.169.0 · acp @zed-industries/codex-acp · root · deny' */
export function describeCell({ agent, version, channel, wrapper, user, permissions }: PlanCell): string {
  return [
    `${agent} ${version}`,
    wrapper === undefined ? channel : `${channel} ${wrapper}`,
    user,
    ...(permissions === undefined ? [] : [permissions]),
  ].join(' · ')
}

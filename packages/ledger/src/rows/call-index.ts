/**
 * The calls of all sessions in an engine's tables. It finds and stores them; recordCall decides which reports belong
 * together.
 */
export interface CallIndex {
  /** Stores the time of a user's prompt. */
  addPrompt(session: number, channel: number, at: number, entity: string): void
  /** The call with this id; null if it belongs to the session that this one was forked from. */
  findNamed(session: number, entity: string): number | null | undefined
  /** The first call with this name and input that no channel with ids has reported yet. */
  findUnnamed(session: number, call: string, claudeCall: string): number | undefined
  /** The first call with this name and input after another one that this channel has not reported yet. */
  findUnreported(session: number, call: string, after: number, channel: number): number | undefined
  /** The last call that this channel reported by this name; 0 if there is none. A channel reports calls in order. */
  findLast(name: CallName): number
  /** Ends the first running call of this name, if there is one. */
  endNext(name: CallName): number | undefined
  /** Stores which call a name refers to; a repeating name refers to one more call. */
  addName(name: CallName, repeats: boolean, id: number | null): void
  /** Whether another session of the same agent has the same call: a fork starts with a copy. */
  isCopy(session: number, entity: string, at: number): boolean
  create(session: number, details: CallDetails): number
  /** Sets the earliest time, and everything else unless a better channel reported it. */
  update(id: number, details: CallDetails): void
  /** Sets the end unless a better channel reported it. */
  setEnd(id: number, end: CallEnd): void
}

export interface CallName {
  readonly session: number
  readonly entity: string
  readonly channel: number
}

/** A call as one event reports it. */
export interface CallDetails {
  readonly entity: string
  /** Whether its channel has an id for it that other channels know. */
  readonly named: boolean
  /** Hashes of the agent's own name and input, and of Claude's. */
  readonly call: string
  readonly claudeCall: string
  readonly channel: number
  readonly tool: string
  readonly native: string
  /** As JSON; long strings are cut. */
  readonly input: string
  readonly parent: string | null
  readonly reportedBy: number
  readonly at: number
}

export interface CallEnd {
  readonly channel: number
  readonly status: string
  readonly failed: boolean
  readonly error: string | null
  readonly at: number
  readonly reportedBy: number
}

/** The calls of all sessions, as an engine keeps them. It only looks up and enters; what belongs together is not its matter. */
export interface CallIndex {
  /** A person said something at this time. */
  addPrompt(session: number, channel: number, at: number, entity: string): void
  /** The call that has this id; null if it belongs to another session, of which this one is a fork. */
  findNamed(session: number, entity: string): number | null | undefined
  /** The first call of this name and input that no channel with ids has told yet. */
  findUnnamed(session: number, call: string, claudeCall: string): number | undefined
  /** The first call of this name and input, behind another one, that this channel has not told yet. */
  findUnreported(session: number, call: string, after: number, channel: number): number | undefined
  /** The last call that this channel called so; 0 if there is none. They are told in their order. */
  findLast(name: CallName): number
  /** Ends the first call of this name that waits for its end, if one does. */
  endNext(name: CallName): number | undefined
  /** Remembers which call a name means; a name that repeats means one more. */
  addName(name: CallName, repeats: boolean, id: number | null): void
  /** Whether another session of the same agent holds the same call: a fork begins with a copy. */
  isCopy(session: number, entity: string, at: number): boolean
  create(session: number, details: CallDetails): number
  /** Takes the earliest time, and all the rest where no better channel told it. */
  update(id: number, details: CallDetails): void
  /** Nothing, where a better channel told the end. */
  setEnd(id: number, end: CallEnd): void
}

export interface CallName {
  readonly session: number
  readonly entity: string
  readonly channel: number
}

/** A call as one event tells it. */
export interface CallDetails {
  readonly entity: string
  /** Whether its channel has an id for it that means something elsewhere. */
  readonly named: boolean
  /** The agent's own name and input, hashed, and Claude's. */
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

/** The rules file of the pave hook: the aliases with the names of each CLI. It is rewritten when an alias changes. */
export interface PaveRules {
  readonly version: 1
  readonly agents: Readonly<Record<string, AgentRules>>
}

/** What a hook's answer may contain: the corrected input in one of two fields, or only a refusal with a reason. */
export type PaveDialect = 'tool-input' | 'updated-input' | 'refusal'

/** The rules of one agent. */
export interface AgentRules {
  readonly dialect: PaveDialect
  readonly refusals: readonly PaveRefusal[]
  readonly edits: readonly PaveEdit[]
}

/** A refused tool, by the CLI's own name, and the reason. */
export interface PaveRefusal {
  readonly tool: string
  readonly reason: string
}

/** A change to a tool's input. */
export interface PaveEdit {
  readonly kind: 'command' | 'flag' | 'recipe' | 'literal' | 'regex'
  readonly from: string
  readonly to: string
  /** The affected tools and parameters, by the CLI's own names; all if omitted. */
  readonly tools?: readonly string[]
  readonly params?: readonly string[]
  /** The command that the edit is limited to. */
  readonly command?: string
  /** The user's explanation for the agent. */
  readonly message?: string
}

/** The output of the hook; empty if the call runs unchanged. */
export type PaveAnswer = Readonly<Record<string, unknown>>

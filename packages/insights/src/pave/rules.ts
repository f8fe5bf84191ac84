/** What the pave hook reads: the aliases, in the words of each CLI. It is written anew whenever an alias changes. */
export interface PaveRules {
  readonly version: 1
  readonly agents: Readonly<Record<string, AgentRules>>
}

/** How a CLI wants to be answered before a tool runs. Codex can be told no and why, but not what to run instead. */
export type PaveDialect = 'gemini' | 'claude' | 'codex'

export interface AgentRules {
  readonly dialect: PaveDialect
  readonly refusals: readonly PaveRefusal[]
  readonly edits: readonly PaveEdit[]
}

/** A tool that shall not be called, by the CLI's own name, and what to say of it. */
export interface PaveRefusal {
  readonly tool: string
  readonly reason: string
}

export interface PaveEdit {
  readonly kind: 'command' | 'flag' | 'recipe' | 'literal' | 'regex'
  readonly from: string
  readonly to: string
  /** The tools and the parameters it is for, by the CLI's own names; all of them where left out. */
  readonly tools?: readonly string[]
  readonly params?: readonly string[]
  /** The command whose words it is for. */
  readonly command?: string
  /** What a person wants the agent to know of it. */
  readonly message?: string
}

/** What the hook prints; empty where there is nothing to say. */
export type PaveAnswer = Readonly<Record<string, unknown>>

/** Who decides: everything once, nothing, a person, or rules of which the first that fits counts. */
export type Permissions = PermissionWay | PermissionRules

/** `auto` allows once and never for ever, `deny` refuses, `ask` goes to the broker. */
export type PermissionWay = 'auto' | 'deny' | 'ask'

export interface PermissionRules {
  readonly rules: readonly PermissionRule[]
  /** What none of the rules fits; `ask` where there is a broker, and else `deny`. */
  readonly otherwise?: PermissionWay
}

/** Fits where everything that it names fits. */
export interface PermissionRule {
  readonly decide: PermissionWay
  /** The tool by Claude's name or the agent's own; `*` stands for any part. */
  readonly tool?: string
  /** The kind that the protocol gives it, such as `edit` or `execute`. */
  readonly kind?: string
  /** All paths that the call names, relative to the workspace: a glob. */
  readonly path?: string
  /** The command: `*` stands for any part of one plain command, never for several; a RegExp is taken at its word. */
  readonly command?: string | RegExp
}

/** Who decides: allow everything once, deny, ask the user, or rules of which the first match wins. */
export type Permissions = PermissionWay | PermissionRules

/** `allow` allows once, never always; `ask` goes to the broker; `deny` refuses. `auto` is an older name of `allow`. */
export type PermissionWay = 'allow' | 'ask' | 'deny' | 'auto'

/** @example isAllow('auto') // true */
export function isAllow(way: unknown): boolean {
  return way === 'allow' || way === 'auto'
}

/** Rules that decide tool calls; the first match wins. */
export interface PermissionRules {
  readonly rules: readonly PermissionRule[]
  /** The decision if no rule matches; `ask` with a broker, else `deny`. */
  readonly otherwise?: PermissionWay
}

/**
 * Matches if every field matches. A rule that allows must match the whole call: every path and the only command. A rule
 * that refuses or asks needs to match only a part, and matches if the paths or the command are unknown.
 */
export interface PermissionRule {
  readonly decide: PermissionWay
  /** The tool by Claude's or the agent's name, ignoring case; `*` matches any part. */
  readonly tool?: string
  /** The protocol's kind, such as `edit` or `execute`. */
  readonly kind?: string
  /**
   * The paths of the call, relative to the workspace or absolute: `*` matches any part of a name, `**` any folders,
   * `{a,b}` either. Links are followed first, and a relative rule that allows never matches outside paths.
   */
  readonly path?: string
  /** The command: `*` matches any part of one plain command, never several commands; a RegExp is used unchanged. */
  readonly command?: string | RegExp
}

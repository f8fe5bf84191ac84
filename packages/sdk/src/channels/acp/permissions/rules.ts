/** Who decides: everything once, nothing, a person, or rules of which the first that fits counts. */
export type Permissions = PermissionWay | PermissionRules

/** `allow` allows once and never for ever, `ask` goes to the broker, `deny` refuses. `auto` is an older word for `allow`. */
export type PermissionWay = 'allow' | 'ask' | 'deny' | 'auto'

/** @example isAllow('auto') // true */
export function isAllow(way: unknown): boolean {
  return way === 'allow' || way === 'auto'
}

export interface PermissionRules {
  readonly rules: readonly PermissionRule[]
  /** What none of the rules fits; `ask` where there is a broker, and else `deny`. */
  readonly otherwise?: PermissionWay
}

/**
 * Fits where everything that it names fits. A rule that allows must fit all of a call, every path and the only command;
 * one that refuses or asks needs to fit a part of it, and fits where the paths or the command are not told.
 */
export interface PermissionRule {
  readonly decide: PermissionWay
  /** The tool by Claude's name or the agent's own, in large or small letters; `*` stands for any part. */
  readonly tool?: string
  /** The kind that the protocol gives it, such as `edit` or `execute`. */
  readonly kind?: string
  /**
   * The paths that the call names, relative to the workspace or absolute: `*` stands for any part of a name, `**` for any
   * folders, `{a,b}` for one of both. Links are followed first, and what is outside fits no relative rule that allows.
   */
  readonly path?: string
  /** The command: `*` stands for any part of one plain command, never for several; a RegExp is taken at its word. */
  readonly command?: string | RegExp
}

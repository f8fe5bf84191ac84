/** Settings of a CLI that prevent failed calls. Each is a text to paste, and the place for it. */
export interface SettingsPart {
  /** Allows a tool without approval, or only commands that start with `prefix`. */
  allow?(native: string, prefix: readonly string[] | undefined): SettingEdit | undefined
  /** Gives commands more time. */
  readonly timeout?: SettingEdit
  /** Sets an environment variable for commands. */
  variable?(name: string): SettingEdit
}

/** A text to paste, and the place for it. */
export interface SettingEdit {
  /** The file, or `shell` for a command. @example '~/.gemini/settings.json' */
  readonly where: string
  readonly paste: string
}

/** How calls are corrected by a hook before they run. */
export interface PavePart {
  /**
   * What the hook's answer may contain: the corrected input as `tool_input`, or as `updatedInput`, or only a refusal that
   * names the right call.
   */
  readonly dialect: 'tool-input' | 'updated-input' | 'refusal'
  /** The names that its hooks use for a tool, given by Claude's name or its own; by default those of the tool table. */
  names?(tool: string): readonly string[]
}

/** A text of JSON for a settings file. @example toJson({ env: { A: '1' } }) */
export function toJson(value: object): string {
  return JSON.stringify(value, null, 2)
}

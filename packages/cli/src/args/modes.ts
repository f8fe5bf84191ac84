// Written out, because help and completion must not wait for the SDK; a test compares them with it.
export const modes = ['default', 'acceptEdits', 'plan', 'auto', 'bypassPermissions'] as const

/** With the aliases that are accepted: `ask` is `default`, `bypass` is `bypassPermissions`. */
export const modeWords: readonly string[] = [...modes, 'ask', 'bypass']

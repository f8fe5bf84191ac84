// Listed here, because help and completion must not load the SDK. A test compares both.
export const modes = ['default', 'acceptEdits', 'plan', 'auto', 'bypassPermissions'] as const

/** All accepted names: `ask` is an alias of `default`, `bypass` of `bypassPermissions`. */
export const modeWords: readonly string[] = [...modes, 'ask', 'bypass']

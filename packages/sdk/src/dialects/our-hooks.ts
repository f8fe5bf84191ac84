import type { HookKind } from '../contract/agent.ts'

/** The timeout of our hooks in milliseconds. Both normally take far less. */
export const hookTimeoutMs: Readonly<Record<HookKind, number>> = { record: 5000, pave: 5000 }

/** The names of our hooks, for CLIs with named hooks. */
export const hookNames: Readonly<Record<HookKind, string>> = { record: 'remora', pave: 'remora-pave' }

// Match whole names, because another program's hook may be in a folder `/remora-hooks`.
const ours: Readonly<Record<HookKind, RegExp>> = {
  record: /\/remora-hook(?=["'\s]|$)|\bremora (?:ingest|record) --source\b/,
  pave: /\/remora-pave(?:\.\w+)?(?=["'\s]|$)/,
}

/**
 * Gets the kind of our hook from its current or an older command line; undefined for other hooks.
 *
 * @example getHookKind('/home/me/.remora/hooks/remora-hook gemini') // 'record'
 */
export function getHookKind(command: string): HookKind | undefined {
  if (ours.pave.test(command)) return 'pave'
  return ours.record.test(command) ? 'record' : undefined
}

/** Quotes a command for a POSIX shell. @example quoteCommand(['/a b/hook', 'x']) // "'/a b/hook' x" */
export function quoteCommand(words: readonly string[]): string {
  return words.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : quoteWord(word))).join(' ')
}

// Gemini expands variables in its settings before the shell does, so a dollar must not precede a name.
function quoteWord(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`).replaceAll('$', "$$''")}'`
}

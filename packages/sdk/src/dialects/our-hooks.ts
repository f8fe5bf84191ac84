import type { HookKind } from '../contract/agent.ts'

/** How many milliseconds a hook of ours gets, whatever unit a CLI counts in. Both are done in far less. */
export const hookTimeoutMs: Readonly<Record<HookKind, number>> = { record: 5000, pave: 5000 }

/** The name that entries of ours have in CLIs whose entries have names. */
export const hookNames: Readonly<Record<HookKind, string>> = { record: 'remora', pave: 'remora-pave' }

// Whole names: a hook of somebody else may lie in a folder `/remora-hooks`.
const ours: Readonly<Record<HookKind, RegExp>> = {
  record: /\/remora-hook(?=["'\s]|$)|\bremora (?:ingest|record) --source\b/,
  pave: /\/remora-pave(?:\.\w+)?(?=["'\s]|$)/,
}

/**
 * Which hook of ours a command line is, in this form or in one of old; undefined for one of somebody else.
 *
 * @example getHookKind('/home/me/.remora/hooks/remora-hook gemini') // 'record'
 */
export function getHookKind(command: string): HookKind | undefined {
  if (ours.pave.test(command)) return 'pave'
  return ours.record.test(command) ? 'record' : undefined
}

/** The words of a command as a POSIX shell reads them. @example quoteCommand(['/a b/hook', 'x']) // "'/a b/hook' x" */
export function quoteCommand(words: readonly string[]): string {
  return words.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : quoteWord(word))).join(' ')
}

// Gemini puts variables into its settings before any shell sees them: a dollar must not stand before a name.
function quoteWord(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`).replaceAll('$', "$$''")}'`
}

import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The names that the hook and its rules have wherever they are installed: the one looks for the other by it. */
export const paveFiles = { program: 'remora-pave.mjs', rules: 'pave-rules.json' } as const

/** The compiled hook, to be copied. @example copyFileSync(paveProgram(), '/home/me/.remora/hooks/remora-pave.mjs') */
export function paveProgram(): string {
  const beside = fileURLToPath(new URL('hook.js', import.meta.url))
  // Started from the sources, the compiled file is where the build puts it.
  return existsSync(beside) ? beside : fileURLToPath(new URL('../../dist/pave/hook.js', import.meta.url))
}

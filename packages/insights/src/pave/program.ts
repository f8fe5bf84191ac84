import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The names of the installed files. The hook finds its rules by name. */
export const paveFiles = { program: 'remora-pave.mjs', rules: 'pave-rules.json' } as const

/** The path of the compiled hook. @example copyFileSync(paveProgram(), '/home/me/.remora/hooks/remora-pave.mjs') */
export function paveProgram(): string {
  const beside = fileURLToPath(new URL('hook.js', import.meta.url))
  // When this runs from source, the compiled file is in dist.
  return existsSync(beside) ? beside : fileURLToPath(new URL('../../dist/pave/hook.js', import.meta.url))
}

import { fileURLToPath } from 'node:url'

/** The launcher that gives a command nothing but loopback and an empty home. */
export const loopbackOnlyScript = fileURLToPath(new URL('../scripts/loopback-only.mjs', import.meta.url))

/**
 * A command line, guarded: it reaches loopback only, and fails if it leaves anything in `HOME`.
 *
 * @example const [file, ...args] = loopbackOnly(['npx', 'vitest', 'run', '--project', 'real'])
 */
export function loopbackOnly(command: readonly string[]): string[] {
  return [process.execPath, loopbackOnlyScript, '--', ...command]
}

import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/**
 * A program of the SDK that runs in a process or thread of its own: beside this file when bundled, one folder up when
 * compiled, in dist when run from sources.
 */
export function findProgram(name: 'pty-host' | 'pty-screen'): string {
  const paths = [`${name}.js`, `../${name}.js`, `../../dist/${name}.js`]
  const files = paths.map((path) => fileURLToPath(new URL(path, import.meta.url)))
  return files.find((file) => existsSync(file)) ?? files.at(-1)!
}

import { readFileSync } from 'node:fs'
import { findProgram, installCommand } from './find-program.mjs'

const tools = [
  { names: ['c++', 'g++', 'clang++'], packages: ['build-essential'] },
  { names: ['make', 'gmake'], packages: ['build-essential'] },
  { names: ['python3', 'python'], packages: ['python3'] },
]

/** The hint after a failed install: what a native build needs and how to install it. */
export function compilerHint(log, find = findProgram) {
  if (!/gyp ERR!|node-gyp/.test(readFileSync(log, 'utf8'))) {
    return 'Check that the npm registry can be reached, then run this again.'
  }
  const missing = tools.filter(({ names }) => !names.some((name) => find(name)))
  const otherwise = 'Node 22.16 or newer needs no compiler.'
  if (missing.length === 0)
    return `A native module did not build although a compiler is installed; the log has the reason. ${otherwise}`
  const what = missing.map(({ names }) => names[0]).join(', ')
  const packages = [...new Set(missing.flatMap((tool) => tool.packages))]
  return `A native module must be built and ${what} is missing. Install it with: ${installCommand(packages)}\n${otherwise}`
}

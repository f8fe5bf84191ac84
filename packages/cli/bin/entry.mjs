import { readdirSync, statSync } from 'node:fs'

const program = new URL('../program/bin.js', import.meta.url)
const compiled = new URL('../dist/bin.js', import.meta.url)
const packages = new URL('../../', import.meta.url)

/**
 * What the command runs: the bundled program, or in a checkout what was compiled, if that is newer. Undefined where
 * nothing is built yet.
 */
export function entry() {
  if (isBundled()) return program
  return timeOf(compiled) > 0 ? compiled : undefined
}

/** Whether the bundle is there, and nothing was compiled since. */
export function isBundled() {
  const times = readdirSync(packages).map((name) => timeOf(new URL(`${name}/dist/.tsbuildinfo`, packages)))
  return timeOf(program) > Math.max(0, ...times)
}

function timeOf(file) {
  try {
    return statSync(file).mtimeMs
  } catch {
    return 0
  }
}

import { readdirSync, statSync } from 'node:fs'

const program = new URL('../program/bin.js', import.meta.url)
const compiled = new URL('../dist/bin.js', import.meta.url)
const packages = new URL('../../', import.meta.url)

/**
 * The program to run: the bundle, or in a checkout the compiled files if they are newer. Undefined before the first
 * build.
 */
export function entry() {
  if (isBundled()) return program
  return readTime(compiled) > 0 ? compiled : undefined
}

/** Whether the bundle exists and is newer than the compiled files. */
export function isBundled() {
  const times = readdirSync(packages).map((name) => readTime(new URL(`${name}/dist/.tsbuildinfo`, packages)))
  return readTime(program) > Math.max(0, ...times)
}

function readTime(file) {
  try {
    return statSync(file).mtimeMs
  } catch {
    return 0
  }
}

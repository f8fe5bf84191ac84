import { existsSync, mkdirSync, readdirSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { readJson } from './paths.mjs'

/** The vitest projects to run, each with its files; an empty list means all files. */
export function readParts(names, root) {
  const parts = new Map()
  for (const name of names.length === 0 ? ['unit'] : names) {
    if (['unit', 'real', 'web'].includes(name)) {
      parts.set(name, [])
      continue
    }
    const path = resolve(root, name)
    if (!existsSync(path)) throw new Error(`Unknown part or file: ${name}`)
    for (const project of findProjects(path)) {
      if (parts.get(project)?.length === 0) continue
      parts.set(project, [...(parts.get(project) ?? []), path])
    }
  }
  return [...parts]
}

/** The projects of the tests in a file or folder. */
function findProjects(path) {
  const files = statSync(path).isDirectory()
    ? readdirSync(path, { recursive: true }).map((name) => join(path, name))
    : [path]
  const tests = files.filter((file) => /\.test\.(?:ts|mjs)$/.test(file) && !file.includes('node_modules'))
  if (tests.length === 0) throw new Error(`No tests in ${path}`)
  return new Set(
    tests.map((file) => {
      if (!file.includes('.real.test.')) return 'unit'
      return file.includes(join('apps', 'web', 'test')) ? 'web' : 'real'
    }),
  )
}

/** Stores failures and runs of each test over many soaks, counting quiet and loaded runs separately. */
export class SoakResults {
  failed = 0
  #runs = 0
  #file
  #column
  #failures = new Map()

  constructor(file, load) {
    this.#file = resolve(file)
    this.#column = load === 0 ? 'quiet' : `load ${load}`
  }

  /** Adds one run. The file is replaced after every run, so that a stopped soak keeps its results. */
  add({ failed, tests }) {
    this.failed += failed
    this.#runs++
    const results = existsSync(this.#file) ? readJson(this.#file) : {}
    for (const test of tests) {
      const columns = (results[test.name] ??= {})
      const column = (columns[this.#column] ??= { failed: 0, runs: 0 })
      column.runs++
      if (!test.failed) continue
      column.failed++
      this.#failures.set(test.name, (this.#failures.get(test.name) ?? 0) + 1)
    }
    mkdirSync(dirname(this.#file), { recursive: true })
    writeFileSync(`${this.#file}.new`, `${JSON.stringify(results, null, 2)}\n`)
    renameSync(`${this.#file}.new`, this.#file)
  }

  summarize() {
    const failures = [...this.#failures].map(([name, times]) => `  ${times} of ${this.#runs}  ${name}`)
    const verdict = this.failed === 0 ? 'no failures' : `${this.failed} failures`
    return [...failures, `${this.#runs} runs (${this.#column}), ${verdict}. Results: ${this.#file}`].join(
      '\n',
    )
  }
}

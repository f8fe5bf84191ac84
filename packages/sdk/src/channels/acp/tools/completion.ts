import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { RemoraError } from '@remora/protocol/plain'
import type { CompletionCheck } from '../options.ts'

/**
 * Done when these files exist; paths are relative to the workspace.
 *
 * @example session.prompt('Write the report', { until: filesExist('report.md') })
 */
export function filesExist(...paths: readonly string[]): CompletionCheck {
  checkSome('filesExist', paths)
  return async ({ cwd }) => {
    const there = await Promise.all(paths.map((path) => isFile(resolve(cwd, path))))
    const missing = paths.filter((_, index) => !there[index])
    if (missing.length === 0) return undefined
    return `${missing.length === 1 ? 'This file is' : 'These files are'} still missing: ${missing.join(', ')}`
  }
}

/**
 * Done when all checks are done; the missing parts are reported together.
 *
 * @example allOf(filesExist('a.md'), ({ text }) => (text.includes('done') ? undefined : 'Say when you are done.'))
 */
export function allOf(...checks: readonly CompletionCheck[]): CompletionCheck {
  checkSome('allOf', checks)
  return async (turn) => {
    const missing: string[] = []
    for (const check of checks) {
      const problem = await check(turn)
      if (problem !== undefined) missing.push(problem)
    }
    return missing.length === 0 ? undefined : missing.join('\n')
  }
}

/**
 * Done when one of the checks is done.
 *
 * @example anyOf(filesExist('report.md'), filesExist('report.pdf'))
 */
export function anyOf(...checks: readonly CompletionCheck[]): CompletionCheck {
  checkSome('anyOf', checks)
  return async (turn) => {
    const missing: string[] = []
    for (const check of checks) {
      const problem = await check(turn)
      if (problem === undefined) return undefined
      missing.push(problem)
    }
    return missing.length === 1 ? missing[0] : `One of these is enough:\n${missing.join('\n')}`
  }
}

function checkSome(name: string, given: readonly unknown[]): void {
  if (given.length > 0) return
  throw new RemoraError('usage', `${name}: nothing is given to check`, { hint: 'Give one or more.' })
}

async function isFile(path: string): Promise<boolean> {
  return await stat(path).then(
    (found) => found.isFile(),
    () => false,
  )
}

import { RemoraError } from '@remora/protocol/plain'

/**
 * Compares two versions like semver: numbers by value, a pre-release before its release, build metadata ignored.
 *
 * @example ['0.9.0', '0.10.0'].toSorted(compareVersions)
 */
export function compareVersions(left: string, right: string): number {
  const a = parse(left)
  const b = parse(right)
  for (let index = 0; index < 3; index++) {
    const difference = (a.numbers[index] ?? 0) - (b.numbers[index] ?? 0)
    if (difference !== 0) return Math.sign(difference)
  }
  return comparePreReleases(a.preRelease, b.preRelease)
}

/**
 * Whether a version is `minimum` or later. An unknown version counts as the newest.
 *
 * @example atLeast('0.34.0', '0.33.0') // true
 */
export function atLeast(version: string | undefined, minimum: string): boolean {
  return version === undefined || compareVersions(version, minimum) >= 0
}

/**
 * Finds the first version in a text, such as the output of `--version`.
 *
 * @example findVersion('codex-cli 0.166.0\n') // '0.166.0'
 */
export function findVersion(text: string): string | undefined {
  return /\d+\.\d+\.\d+(?:-[\w.-]+)?(?:\+[\w.-]+)?/.exec(text)?.[0]
}

function parse(version: string): { numbers: number[]; preRelease: string[] } {
  const [core = '', ...rest] = (version.replace(/^v/, '').split('+')[0] ?? '').split('-')
  const numbers = core.split('.').map((part) => Number.parseInt(part, 10) || 0)
  return { numbers, preRelease: rest.length > 0 ? rest.join('-').split('.') : [] }
}

function comparePreReleases(left: string[], right: string[]): number {
  if (left.length === 0 || right.length === 0) return Math.sign(right.length - left.length)
  for (let index = 0; index < Math.max(left.length, right.length); index++) {
    const a = left[index]
    const b = right[index]
    if (a === undefined) return -1
    if (b === undefined) return 1
    const order = compareIdentifiers(a, b)
    if (order !== 0) return order
  }
  return 0
}

// Numbers come before words, and are compared by value.
function compareIdentifiers(left: string, right: string): number {
  const a = /^\d+$/.test(left)
  const b = /^\d+$/.test(right)
  if (a && b) return Math.sign(Number(left) - Number(right))
  if (a !== b) return a ? -1 : 1
  return left === right ? 0 : left < right ? -1 : 1
}

/**
 * Creates the error for an option that the CLI, or this version of it, does not support.
 *
 * @example throw createUnsupportedError('Gemini CLI', 'the option fork', 'Leave it out.')
 */
export function createUnsupportedError(agent: string, option: string, hint: string): RemoraError {
  return new RemoraError('unsupported', `${agent} does not support ${option}`, { hint })
}

/**
 * Throws unless the version has the option.
 *
 * @example requireVersion('Gemini CLI', 'sessionId', version, '0.41.0')
 */
export function requireVersion(
  agent: string,
  option: string,
  version: string | undefined,
  minimum: string,
): void {
  if (atLeast(version, minimum)) return
  throw createUnsupportedError(
    `${agent} ${version}`,
    `the option ${option}`,
    `Update ${agent} to ${minimum} or later, or leave ${option} out.`,
  )
}

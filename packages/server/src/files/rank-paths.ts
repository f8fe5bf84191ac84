/**
 * Scores how well a path matches the typed text; undefined if it does not contain its letters in order. Letters at
 * word starts count more, and those in the file name most.
 *
 * @example scorePath('src/state/client.ts', 'cli')
 */
export function scorePath(path: string, typed: string): number | undefined {
  const lower = path.toLowerCase()
  const name = lower.lastIndexOf('/', lower.length - 2) + 1
  const inName = lower.indexOf(typed, name)
  // A whole match: the earlier and the shorter, the better.
  if (inName !== -1) return 2_000 - (inName - name) * 4 - path.length + (isWordStart(lower, inName) ? 500 : 0)
  const inPath = lower.indexOf(typed)
  if (inPath !== -1) return 1_000 - path.length + (isWordStart(lower, inPath) ? 200 : 0)
  let score = 0
  let at = -1
  for (const letter of typed) {
    const next = lower.indexOf(letter, at + 1)
    if (next === -1) return undefined
    score += (isWordStart(lower, next) ? 12 : 0) + (next === at + 1 ? 8 : 0) + (next >= name ? 4 : 0)
    at = next
  }
  return score - path.length / 4
}

function isWordStart(lower: string, at: number): boolean {
  return at === 0 || /[/._\-\s]/.test(lower[at - 1]!)
}

/** Returns the best matches first; without text, the shallowest paths. @example rankPaths(paths, 'readme', 30) */
export function rankPaths(paths: Iterable<string>, typed: string, limit: number): string[] {
  const query = typed.toLowerCase().replaceAll(/\s+/g, '')
  const scored: { path: string; score: number }[] = []
  for (const path of paths) {
    const score = query === '' ? -getDepth(path) * 1_000 - path.length : scorePath(path, query)
    if (score !== undefined) scored.push({ path, score })
  }
  scored.sort((left, right) => right.score - left.score || (left.path < right.path ? -1 : 1))
  return scored.slice(0, limit).map(({ path }) => path)
}

function getDepth(path: string): number {
  return path.replace(/\/$/, '').split('/').length
}

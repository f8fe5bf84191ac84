/**
 * How well a path fits what somebody has typed; undefined where its letters are not in it, in their order. Letters at
 * the beginnings of words count more, and those in the file's own name most.
 *
 * @example scoreOf('src/state/client.ts', 'cli')
 */
export function scoreOf(path: string, typed: string): number | undefined {
  const low = path.toLowerCase()
  const name = low.lastIndexOf('/', low.length - 2) + 1
  const whole = low.indexOf(typed, name)
  // All of it, in one piece: the earlier and the shorter, the better.
  if (whole !== -1) return 2_000 - (whole - name) * 4 - path.length + (starts(low, whole) ? 500 : 0)
  const piece = low.indexOf(typed)
  if (piece !== -1) return 1_000 - path.length + (starts(low, piece) ? 200 : 0)
  let score = 0
  let at = -1
  for (const letter of typed) {
    const next = low.indexOf(letter, at + 1)
    if (next === -1) return undefined
    score += (starts(low, next) ? 12 : 0) + (next === at + 1 ? 8 : 0) + (next >= name ? 4 : 0)
    at = next
  }
  return score - path.length / 4
}

function starts(low: string, at: number): boolean {
  return at === 0 || /[/._\-\s]/.test(low[at - 1]!)
}

/** The best ones, the best first; without words, the shallow ones. @example bestOf(paths, 'readme', 30) */
export function bestOf(paths: Iterable<string>, typed: string, most: number): string[] {
  const wanted = typed.toLowerCase().replaceAll(/\s+/g, '')
  const scored: { path: string; score: number }[] = []
  for (const path of paths) {
    const score = wanted === '' ? -depthOf(path) * 1_000 - path.length : scoreOf(path, wanted)
    if (score !== undefined) scored.push({ path, score })
  }
  scored.sort((left, right) => right.score - left.score || (left.path < right.path ? -1 : 1))
  return scored.slice(0, most).map(({ path }) => path)
}

function depthOf(path: string): number {
  return path.replace(/\/$/, '').split('/').length
}

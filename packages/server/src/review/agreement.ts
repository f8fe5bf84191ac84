import type { Fine, Finding, Group, Opinion, Severity } from '@remora/protocol/api'
import { severities } from '@remora/protocol/api'
import { similarity } from './similar.ts'

export interface Opined {
  readonly reviewer: number
  readonly opinion: Opinion
}

export interface Compared {
  readonly groups: Group[]
  readonly agreement?: number
  readonly verdict?: Opinion['verdict'] | 'disputed'
}

type Placed = Pick<Finding, 'file' | 'line' | 'text'>

/**
 * What several reviewers say, put together: the same problem found by two is agreed, one that another has looked at and
 * found right is disputed.
 *
 * @example const { groups, agreement, verdict } = compareOpinions([{ reviewer: 0, opinion }, { reviewer: 1, opinion: other }])
 */
export function compareOpinions(opined: readonly Opined[]): Compared {
  const clusters = cluster(opined)
  const fines = opined.flatMap(({ reviewer, opinion }) =>
    (opinion.fine ?? []).map((fine) => ({ ...fine, reviewer })),
  )
  const count = opined.length
  const groups = clusters
    .map((by) => groupOf(by, fines, count))
    .toSorted((left, right) => rank(left) - rank(right) || right.score - left.score)
    .map((group, index) => ({ ...group, id: `g${index + 1}` }))
  if (count === 0) return { groups }
  const verdict = verdictOf(opined.map(({ opinion }) => opinion.verdict))
  return count === 1 ? { groups, verdict } : { groups, verdict, agreement: agreementOf(opined, groups) }
}

/** Whether two findings are about the same problem, and how surely. @example matchOf(finding, other) > 0 */
export function matchOf(left: Placed, right: Placed): number {
  const place = findSessionFolder(left, right)
  if (place === undefined) return 0
  const alike = similarity(left.text, right.text)
  return alike >= place.needed ? alike + place.bonus : 0
}

/** Whether a place that was found right is the one of a finding. What is said there need not be said in the same words. */
export function contradicts(fine: Placed, finding: Placed): boolean {
  const place = findSessionFolder(fine, finding)
  return place !== undefined && similarity(fine.text, finding.text) >= place.needed
}

type By = Finding & { readonly reviewer: number }

/** Best pairs first; a group has one finding of each reviewer at most. */
function cluster(opined: readonly Opined[]): By[][] {
  const all: By[] = opined.flatMap(({ reviewer, opinion }) =>
    opinion.findings.map((finding) => ({ ...finding, reviewer })),
  )
  const pairs: { left: number; right: number; score: number }[] = []
  for (let left = 0; left < all.length; left++)
    for (let right = left + 1; right < all.length; right++) {
      if (all[left]!.reviewer === all[right]!.reviewer) continue
      const score = matchOf(all[left]!, all[right]!)
      if (score > 0) pairs.push({ left, right, score })
    }
  pairs.sort((one, two) => two.score - one.score)
  const groups = new Map<number, number[]>(all.map((_, index) => [index, [index]]))
  for (const { left, right } of pairs) {
    const a = groups.get(left)!
    const b = groups.get(right)!
    if (a === b) continue
    const reviewers = new Set(a.map((index) => all[index]!.reviewer))
    if (b.some((index) => reviewers.has(all[index]!.reviewer))) continue
    const joined = [...a, ...b]
    for (const index of joined) groups.set(index, joined)
  }
  return [...new Set(groups.values())].map((indices) =>
    indices.toSorted((a, b) => a - b).map((index) => all[index]!),
  )
}

function groupOf(
  by: readonly By[],
  fines: readonly (Fine & { reviewer: number })[],
  count: number,
): Omit<Group, 'id'> {
  const finders = new Set(by.map(({ reviewer }) => reviewer))
  const against = fines.filter(
    (fine) => !finders.has(fine.reviewer) && by.some((finding) => contradicts(fine, finding)),
  )
  const deniers = new Set(against.map(({ reviewer }) => reviewer))
  const severity = gravest(by.map((finding) => finding.severity))
  // The one who takes it most seriously tells it; of two, the one who says more.
  const best = by.toSorted(
    (left, right) =>
      severities.indexOf(left.severity) - severities.indexOf(right.severity) ||
      right.text.length - left.text.length,
  )[0]!
  const line = by.find((finding) => finding.line)?.line
  const suggestion = best.suggestion ?? by.find((finding) => finding.suggestion)?.suggestion
  return {
    file: by.map(({ file }) => file).toSorted((left, right) => right.length - left.length)[0]!,
    ...(line ? { line } : {}),
    severity,
    text: best.text,
    ...(suggestion ? { suggestion } : {}),
    standing: deniers.size > 0 ? 'disputed' : finders.size > 1 ? 'agreed' : 'single',
    score: Math.max(0, Math.round(((finders.size - deniers.size) / count) * 100) / 100),
    by: [...by],
    against,
  }
}

/** Where two findings stand to each other: the further apart, the more alike their words must be. */
function findSessionFolder(left: Placed, right: Placed): { needed: number; bonus: number } | undefined {
  if (!isSameFile(left.file, right.file)) return undefined
  if (left.file.trim() === '') return { needed: 0.4, bonus: 0 }
  if (!left.line || !right.line) return { needed: 0.28, bonus: 0.1 }
  const apart = Math.abs(left.line - right.line)
  if (apart <= 1) return { needed: 0.08, bonus: 0.5 }
  if (apart <= 4) return { needed: 0.15, bonus: 0.3 }
  if (apart <= 12) return { needed: 0.25, bonus: 0.2 }
  // Models miscount lines, but seldom say the same of two places.
  return { needed: 0.65, bonus: 0 }
}

/** `a/src/x.ts`, `./src/x.ts`, `/home/me/src/x.ts` and `x.ts` may all be the same. */
function isSameFile(left: string, right: string): boolean {
  const clean = (file: string) =>
    file
      .trim()
      .replaceAll('\\', '/')
      .replace(/^(?:\.\/|[ab]\/)/, '')
      .replace(/:\d+(?:[-:]\d+)?$/, '')
  const [a, b] = [clean(left), clean(right)]
  return a === b || (a !== '' && b !== '' && (a.endsWith(`/${b}`) || b.endsWith(`/${a}`)))
}

function gravest(given: readonly Severity[]): Severity {
  return severities.find((severity) => given.includes(severity)) ?? 'note'
}

function rank({ severity }: Pick<Group, 'severity'>): number {
  return severities.indexOf(severity)
}

function verdictOf(given: readonly Opinion['verdict'][]): Opinion['verdict'] | 'disputed' {
  const clear = new Set(given.filter((verdict) => verdict !== 'unsure'))
  if (clear.size > 1) return 'disputed'
  return [...clear][0] ?? 'unsure'
}

/** Half of it is the verdict, half the findings; a note that one alone has is no disagreement. */
function agreementOf(opined: readonly Opined[], groups: readonly Group[]): number {
  const verdicts = opined.map(({ opinion }) => opinion.verdict)
  const most = Math.max(...verdicts.map((verdict) => verdicts.filter((other) => other === verdict).length))
  const weighty = groups.filter(({ severity, standing }) => severity !== 'note' || standing !== 'single')
  const shared =
    weighty.length === 0
      ? 1
      : weighty.reduce((sum, { by, against }) => {
          const finders = new Set(by.map(({ reviewer }) => reviewer)).size
          return sum + (finders > 1 ? Math.max(0, finders - against.length) / opined.length : 0)
        }, 0) / weighty.length
  return Math.round(((most / opined.length + shared) / 2) * 100) / 100
}

import {
  type Finding,
  type Fine,
  type Group,
  type Opinion,
  type Severity,
  severities,
} from '@remora/protocol/api'

export interface ReviewerOpinion {
  readonly reviewer: number
  readonly opinion: Opinion
}

export interface Comparison {
  readonly groups: Group[]
  readonly agreement?: number
  readonly verdict?: Opinion['verdict'] | 'disputed'
}

type Remark = Pick<Finding, 'file' | 'line' | 'text'>

/**
 * Merges the opinions of several reviewers: a problem that two found is agreed, and one that another reviewer checked
 * and found correct is disputed.
 *
 * @example const { groups, agreement, verdict } = compareOpinions([{ reviewer: 0, opinion }, { reviewer: 1, opinion: other }])
 */
export function compareOpinions(opinions: readonly ReviewerOpinion[]): Comparison {
  const clusters = clusterFindings(opinions)
  const fines = opinions.flatMap(({ reviewer, opinion }) =>
    (opinion.fine ?? []).map((fine) => ({ ...fine, reviewer })),
  )
  const count = opinions.length
  const groups = clusters
    .map((by) => toGroup(by, fines, count))
    .toSorted((left, right) => getRank(left) - getRank(right) || right.score - left.score)
    .map((group, index) => ({ ...group, id: `g${index + 1}` }))
  if (count === 0) return { groups }
  const verdict = mergeVerdicts(opinions.map(({ opinion }) => opinion.verdict))
  return count === 1
    ? { groups, verdict }
    : { groups, verdict, agreement: measureAgreement(opinions, groups) }
}

/** Scores how surely two findings are about the same problem; 0 if they are not. @example scoreMatch(finding, other) > 0 */
export function scoreMatch(left: Remark, right: Remark): number {
  const threshold = getThreshold(left, right)
  if (threshold === undefined) return 0
  const similarity = measureSimilarity(left.text, right.text)
  return similarity >= threshold.needed ? similarity + threshold.bonus : 0
}

/** Whether a passage that one reviewer found correct is the passage of another reviewer's finding. */
export function contradicts(fine: Remark, finding: Remark): boolean {
  const threshold = getThreshold(fine, finding)
  return threshold !== undefined && measureSimilarity(fine.text, finding.text) >= threshold.needed
}

type ReviewerFinding = Finding & { readonly reviewer: number }

/** Joins the best pairs first; a group has at most one finding of each reviewer. */
function clusterFindings(opinions: readonly ReviewerOpinion[]): ReviewerFinding[][] {
  const all: ReviewerFinding[] = opinions.flatMap(({ reviewer, opinion }) =>
    opinion.findings.map((finding) => ({ ...finding, reviewer })),
  )
  const pairs: { left: number; right: number; score: number }[] = []
  for (let left = 0; left < all.length; left++)
    for (let right = left + 1; right < all.length; right++) {
      if (all[left]!.reviewer === all[right]!.reviewer) continue
      const score = scoreMatch(all[left]!, all[right]!)
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

function toGroup(
  by: readonly ReviewerFinding[],
  fines: readonly (Fine & { reviewer: number })[],
  count: number,
): Omit<Group, 'id'> {
  const finders = new Set(by.map(({ reviewer }) => reviewer))
  const against = fines.filter(
    (fine) => !finders.has(fine.reviewer) && by.some((finding) => contradicts(fine, finding)),
  )
  const deniers = new Set(against.map(({ reviewer }) => reviewer))
  const severity = findGravest(by.map((finding) => finding.severity))
  // The text of the gravest finding is shown; among equals, the longest.
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

/** The similarity that two findings need: the further distance their lines, the higher. */
function getThreshold(left: Remark, right: Remark): { needed: number; bonus: number } | undefined {
  if (!isSameFile(left.file, right.file)) return undefined
  if (left.file.trim() === '') return { needed: 0.4, bonus: 0 }
  if (!left.line || !right.line) return { needed: 0.28, bonus: 0.1 }
  const distance = Math.abs(left.line - right.line)
  if (distance <= 1) return { needed: 0.08, bonus: 0.5 }
  if (distance <= 4) return { needed: 0.15, bonus: 0.3 }
  if (distance <= 12) return { needed: 0.25, bonus: 0.2 }
  // Models miscount lines, but rarely describe two problems in the same words.
  return { needed: 0.65, bonus: 0 }
}

/** Reviewers write one file as `a/src/x.ts`, `./src/x.ts`, `/home/me/src/x.ts` or `x.ts`. */
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

function findGravest(given: readonly Severity[]): Severity {
  return severities.find((severity) => given.includes(severity)) ?? 'note'
}

function getRank({ severity }: Pick<Group, 'severity'>): number {
  return severities.indexOf(severity)
}

function mergeVerdicts(given: readonly Opinion['verdict'][]): Opinion['verdict'] | 'disputed' {
  const clear = new Set(given.filter((verdict) => verdict !== 'unsure'))
  if (clear.size > 1) return 'disputed'
  return [...clear][0] ?? 'unsure'
}

/** The mean of verdict and finding agreement; a note of a single reviewer is no disagreement. */
function measureAgreement(opinions: readonly ReviewerOpinion[], groups: readonly Group[]): number {
  const verdicts = opinions.map(({ opinion }) => opinion.verdict)
  const most = Math.max(...verdicts.map((verdict) => verdicts.filter((other) => other === verdict).length))
  const relevant = groups.filter(({ severity, standing }) => severity !== 'note' || standing !== 'single')
  const shared =
    relevant.length === 0
      ? 1
      : relevant.reduce((sum, { by, against }) => {
          const finders = new Set(by.map(({ reviewer }) => reviewer)).size
          return sum + (finders > 1 ? Math.max(0, finders - against.length) / opinions.length : 0)
        }, 0) / relevant.length
  return Math.round(((most / opinions.length + shared) / 2) * 100) / 100
}

const stopWords = new Set(
  (
    'a an and any are as at be been but by can cannot could do does done for from get gets has have here if in into is it its ' +
    'just like line may might more most must not now of on one only or other out over should so some such than that the ' +
    'their then there these this those to too use used uses using very via was well were when where which while will with ' +
    'would you your function method code file value variable call called calls return returns here make makes sure need needs'
  ).split(' '),
)

/** Words that reviewers use for the same thing. */
const synonyms: readonly (readonly [string, string])[] = [
  ['null', 'null undefined nil none nullable optional'],
  ['crash', 'crash throw throws thrown exception panic raise raises unhandled uncaught'],
  ['remove', 'remove delete drop removal deletion'],
  ['missing', 'missing absent lack lacks without never no'],
  ['secret', 'secret key token password credential credentials apikey'],
  ['validate', 'validate check verify guard validation validated unchecked unvalidated unverified'],
  ['race', 'race concurrent concurrency parallel atomic simultaneously'],
  ['slow', 'slow performance quadratic inefficient expensive costly n2'],
  [
    'inject',
    'inject injection escape escaped unescaped sanitize sanitise sanitized interpolated interpolation concatenated concatenation concatenate concatenates parameterised parameterized',
  ],
  ['bound', 'bound bounds range index out-of-range off overflow boundary'],
  ['await', 'await awaited async promise unawaited floating'],
  ['leak', 'leak leaks leaked close closed unclosed dispose disposed release released'],
  ['unused', 'unused dead unreachable redundant'],
  ['typo', 'typo misspelled misspelt spelling'],
  ['test', 'test tests tested untested coverage'],
  ['log', 'log logs logged logging print printed'],
  ['hardcoded', 'hardcoded hardcode hard-coded literal'],
  ['doc', 'doc docs documentation documented undocumented comment comments'],
]
const synonymGroups = new Map(
  synonyms.flatMap(([name, words]) => words.split(' ').map((word) => [word, name] as const)),
)

/** Extracts the meaningful words as stems or synonyms. @example extractTerms('Never awaits the promise') // {'missing', 'await'} */
function extractTerms(text: string): Set<string> {
  const words = text
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
  const kept = new Set<string>()
  for (const word of words) {
    if (word.length < 2 || stopWords.has(word)) continue
    const group = synonymGroups.get(word) ?? synonymGroups.get(stem(word))
    kept.add(group ?? stem(word))
  }
  return kept
}

/** Compares two texts by their terms, from 0 to 1. @example measureSimilarity('may be null here', 'undefined is not checked') */
export function measureSimilarity(left: string, right: string): number {
  const a = extractTerms(left)
  const b = extractTerms(right)
  if (a.size === 0 || b.size === 0) return 0
  const common = [...a].filter((word) => b.has(word)).length
  const overlap = common / Math.min(a.size, b.size)
  const union = common / (a.size + b.size - common)
  return (overlap + union) / 2
}

function stem(word: string): string {
  if (word.length <= 4) return word.replace(/s$/, '')
  return word
    .replace(/(?:ations?|ations|ments?|nesses|ness)$/, '')
    .replace(/ies$/, 'y')
    .replace(/(?:ing|ings|ed|es|s|ly)$/, '')
    .replace(/e$/, '')
}

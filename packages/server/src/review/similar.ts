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
export function extractTerms(text: string): Set<string> {
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

/**
 * Finds the patterns that a search word selects: the pattern of that name, all patterns of a tool, those that match a
 * word with `%` as wildcard (as a whole, else in part), or those that contain the word. Case does not matter.
 *
 * @example matchPattern(all, 'bash: missing%')
 */
export function matchPattern<P extends { readonly name: string; readonly tool: string }>(
  all: readonly P[],
  word: string,
): P[] {
  const wanted = word.trim().toLowerCase()
  if (wanted === '') return []
  if (wanted.includes('%')) {
    const fitting = (like: RegExp): P[] => all.filter(({ name, tool }) => like.test(name) || like.test(tool))
    const whole = fitting(likeExpression(wanted))
    // A word without the tool matches a part of the name.
    return whole.length > 0 ? whole : fitting(likeExpression(`%${wanted}%`))
  }
  const exact = all.filter(({ name }) => name.toLowerCase() === wanted)
  if (exact.length > 0) return exact
  const ofTool = all.filter(({ tool }) => tool.toLowerCase() === wanted)
  if (ofTool.length > 0) return ofTool
  return all.filter(({ name }) => name.toLowerCase().includes(wanted))
}

/** Converts a text with `%` as wildcard, as in SQL. @example likeExpression('bash%').test('Bash: timeout') // true */
export function likeExpression(text: string): RegExp {
  const parts = text.split('%').map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`))
  return new RegExp(`^${parts.join('.*')}$`, 'is')
}

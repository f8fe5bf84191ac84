/**
 * The patterns that a word means: the one of that name, all of a tool, those that fit a word with `%` for anything
 * (else those of which a part does), or those that hold the word. Case does not matter.
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
    // Who leaves the tool out means a part of the name.
    return whole.length > 0 ? whole : fitting(likeExpression(`%${wanted}%`))
  }
  const exact = all.filter(({ name }) => name.toLowerCase() === wanted)
  if (exact.length > 0) return exact
  const ofTool = all.filter(({ tool }) => tool.toLowerCase() === wanted)
  if (ofTool.length > 0) return ofTool
  return all.filter(({ name }) => name.toLowerCase().includes(wanted))
}

/** A text in which `%` stands for anything, as in SQL. @example likeExpression('bash%').test('Bash: timeout') // true */
export function likeExpression(text: string): RegExp {
  const parts = text.split('%').map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`))
  return new RegExp(`^${parts.join('.*')}$`, 'is')
}

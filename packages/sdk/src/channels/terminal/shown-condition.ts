/** The screen is searched once for each pattern. */
const maxPatterns = 24
const maxLength = 120

/**
 * Patterns that match rows of the screen while it shows these texts. Everything but letters, digits and spaces becomes a
 * wildcard, so that no text has a special meaning in the language of a driver.
 *
 * @example toShownPatterns(screen.lines, ['Allow execution of [Shell]?']) // ['Allow execution of ?Shell?']
 */
export function toShownPatterns(lines: readonly string[], texts: readonly string[]): string[] {
  const rows = lines.map((line) => line.replaceAll(frame, ' ').trim())
  const whole = removeSpaces(texts.join(''))
  const patterns = new Set<string>()
  for (const text of texts) {
    const own = text.trim()
    if (isDistinctive(own) && rows.some((row) => row.includes(own))) patterns.add(toPattern(own))
  }
  // A text may be wrapped into several rows, each of which is a part of it.
  for (const row of rows) {
    const bare = removeSpaces(row)
    if (isDistinctive(bare) && whole.includes(bare)) patterns.add(toPattern(row))
  }
  // The longest patterns are the most distinctive.
  return [...patterns].sort((left, right) => right.length - left.length).slice(0, maxPatterns)
}

/** The condition in tmux's format language. @example toTmuxCondition(['Allow ?ls?']) // '#{C:Allow ?ls?}' */
export function toTmuxCondition(patterns: readonly string[]): string {
  return joinConditions(patterns.map((pattern) => `#{C:${pattern}}`))
}

/** Characters of frames, and the mark of the selected option, which moves. */
const frame = /[\u2500-\u259F\u25CF\u25CB\u276F\u203A]+/g

/** A very short text may be there by chance and disappear the next moment. */
function isDistinctive(text: string): boolean {
  return (text.match(/[A-Za-z0-9]/g)?.length ?? 0) >= 3
}

function removeSpaces(text: string): string {
  return text.replaceAll(/\s+/g, '')
}

/** A glob pattern. Non-ASCII text becomes `*`, since its number of bytes and columns varies. */
function toPattern(row: string): string {
  return row
    .slice(0, maxLength)
    .trimEnd()
    .replaceAll(/[^\u0020-\u007E]+/g, '*')
    .replaceAll(/[^A-Za-z0-9 *]/g, '?')
}

/** Nested by halves, since tmux limits the depth. */
function joinConditions(conditions: readonly string[]): string {
  if (conditions.length < 2) return conditions[0] ?? '1'
  const half = Math.ceil(conditions.length / 2)
  return `#{&&:${joinConditions(conditions.slice(0, half))},${joinConditions(conditions.slice(half))}}`
}

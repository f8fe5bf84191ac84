/** tmux looks through the pane once for each. */
const most = 24
const longest = 120

/**
 * A condition of tmux's formats that holds while a pane shows these texts. Whatever is neither a letter, a digit nor a
 * space stands for any sign, so that no text can mean more than itself.
 *
 * @example shownCondition(screen.lines, ['Allow execution of [Shell]?']) // #{C:Allow execution of ?Shell?}
 */
export function shownCondition(lines: readonly string[], texts: readonly string[]): string {
  const rows = lines.map((line) => line.replaceAll(frame, ' ').trim())
  const whole = squeezed(texts.join(''))
  const patterns = new Set<string>()
  for (const text of texts) {
    const own = text.trim()
    if (isTelling(own) && rows.some((row) => row.includes(own))) patterns.add(patternOf(own))
  }
  // A text may be broken into several rows, and each of those is a part of it.
  for (const row of rows) {
    const bare = squeezed(row)
    if (isTelling(bare) && whole.includes(bare)) patterns.add(patternOf(row))
  }
  // The longest tell most.
  return allOf(
    [...patterns]
      .sort((left, right) => right.length - left.length)
      .slice(0, most)
      .map((pattern) => `#{C:${pattern}}`),
  )
}

/** What dialogs are drawn with, and the mark of the chosen option, which moves. */
const frame = /[\u2500-\u259F\u25CF\u25CB\u276F\u203A]+/g

/** A word or two that stand there by chance may be gone the next moment. */
function isTelling(text: string): boolean {
  return (text.match(/[A-Za-z0-9]/g)?.length ?? 0) >= 3
}

function squeezed(text: string): string {
  return text.replaceAll(/\s+/g, '')
}

/** In the words of a shell's patterns; how many bytes or columns a sign from elsewhere has, is left open. */
function patternOf(row: string): string {
  return row
    .slice(0, longest)
    .trimEnd()
    .replaceAll(/[^\u0020-\u007E]+/g, '*')
    .replaceAll(/[^A-Za-z0-9 *]/g, '?')
}

/** By halves, since tmux goes only so deep. */
function allOf(conditions: readonly string[]): string {
  if (conditions.length < 2) return conditions[0] ?? '1'
  const half = Math.ceil(conditions.length / 2)
  return `#{&&:${allOf(conditions.slice(0, half))},${allOf(conditions.slice(half))}}`
}

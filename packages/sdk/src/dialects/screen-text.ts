/**
 * Joins lines that the terminal wrapped. A line was wrapped if the next word would not have fit; a list item or an
 * empty line starts a new paragraph.
 *
 * @example unwrapped(['a long line that was', 'broken'], 22) // 'a long line that was broken'
 */
export function unwrapped(lines: readonly string[], width: number): string {
  let result = ''
  let last = ''
  for (const line of lines) {
    const [word = ''] = line.trimStart().split(' ')
    const full = last !== '' && last.length + 1 + word.length > width
    const fresh = line.trim() === '' || /^\s*(?:\d+[.)]|[-*•+]) /.test(line)
    result += result === '' ? line : full && !fresh ? ` ${line.trimStart()}` : `\n${line}`
    last = line
  }
  return result.replaceAll(/\n{3,}/g, '\n\n').trim()
}

/** Removes empty lines at both ends. @example withoutMargins(['', 'a', '']) // ['a'] */
export function withoutMargins(lines: readonly string[]): string[] {
  const first = lines.findIndex((line) => line.trim() !== '')
  const last = lines.findLastIndex((line) => line.trim() !== '')
  return first === -1 ? [] : lines.slice(first, last + 1)
}

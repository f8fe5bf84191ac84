/**
 * Lines that a terminal broke, as the sentences that they were. A line ends where it does because of the width if the
 * next word would not have fitted; a list or an empty line starts anew.
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

/** Lines without those at both ends that are empty. @example withoutMargins(['', 'a', '']) // ['a'] */
export function withoutMargins(lines: readonly string[]): string[] {
  const first = lines.findIndex((line) => line.trim() !== '')
  const last = lines.findLastIndex((line) => line.trim() !== '')
  return first === -1 ? [] : lines.slice(first, last + 1)
}

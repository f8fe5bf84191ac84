import { textWidth } from './text-width.ts'

// oxlint-disable-next-line no-control-regex -- colors have no width
const colour = /\u001B\[[\d;]*m/g

/**
 * Wraps a line between words and indents the following lines. Longer words, such as paths and commands, stay whole.
 * Without a width nothing is wrapped.
 *
 * @example wrapWords('✓ one two', 7) // ['✓ one', '  two']
 */
export function wrapWords(
  line: string,
  width: number | undefined,
  indent = `${/^ */.exec(line)![0]}  `,
): string[] {
  if (width === undefined || visibleWidth(line) <= width) return [line]
  const lines: string[] = []
  let current = ''
  for (const [, gap = '', word = ''] of line.matchAll(/( *)([^ ]+)/g)) {
    if (current.trim() !== '' && visibleWidth(current + gap + word) > width) {
      lines.push(current)
      current = indent + word
    } else current += gap + word
  }
  return [...lines, current]
}

/** Wraps a text with the same indent on all lines. @example wrap('one two three', 8, '  ') // ['  one', …] */
export function wrap(text: string, width: number, indent = ''): string[] {
  return wrapWords(indent + text, width, indent)
}

function visibleWidth(text: string): number {
  return textWidth(text.replaceAll(colour, ''))
}

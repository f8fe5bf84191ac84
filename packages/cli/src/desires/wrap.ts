import { textWidth } from '../text-width.ts'

/**
 * A text in lines of a width, broken between words; a longer word stands alone.
 *
 * @example wrap('one two three', 8, '  ') // ['  one', '  two', '  three']
 */
export function wrap(text: string, width: number, indent = ''): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line !== '' && textWidth(indent) + textWidth(line) + 1 + textWidth(word) > width) {
      lines.push(indent + line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  return [...lines, indent + line]
}

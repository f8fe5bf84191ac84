import { toVisible } from './visible-text.ts'

/** Text made fit for one line of a terminal. @example oneLine('a\n  b', 80) // 'a b' */
export function oneLine(text: string, limit: number): string {
  // Nobody sees the end of a long text, so it need not be searched.
  const line = harmless(text.slice(0, limit * 8))
    .replaceAll(/\s+/g, ' ')
    .trim()
  return line.length > limit ? `${line.slice(0, limit - 1).trimEnd()}…` : line
}

/** Without what would command a terminal, since an agent repeats what it read anywhere. */
export function harmless(text: string): string {
  return toVisible(text.replaceAll('\r\n', '\n'))
}

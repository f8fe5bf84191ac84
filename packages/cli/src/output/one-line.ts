import { toVisible } from './visible-text.ts'

/** Formats text as one line for a terminal. @example oneLine('a\n  b', 80) // 'a b' */
export function oneLine(text: string, limit: number): string {
  // The end of a long text is cut anyway, so it is not processed.
  const line = harmless(text.slice(0, limit * 8))
    .replaceAll(/\s+/g, ' ')
    .trim()
  return line.length > limit ? `${line.slice(0, limit - 1).trimEnd()}…` : line
}

/** Removes terminal control sequences, because agents repeat text from anywhere. */
export function harmless(text: string): string {
  return toVisible(text.replaceAll('\r\n', '\n'))
}

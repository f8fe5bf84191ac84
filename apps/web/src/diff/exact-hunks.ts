import { structuredPatch } from 'diff'
import type { Hunk } from './hunks.ts'

/** Compares two texts; undefined after a timeout. Loaded on demand. */
export function diffExactly(before: string, after: string): Hunk[] | undefined {
  const patch = structuredPatch('', '', before, after, '', '', { context: 3, timeout: 300 })
  return patch?.hunks.map(({ lines }) => ({
    // The position in the file is unknown.
    oldStart: undefined,
    newStart: undefined,
    lines: lines.filter((line) => line[0] !== '\\'),
  }))
}

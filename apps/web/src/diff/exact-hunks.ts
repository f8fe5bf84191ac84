import { structuredPatch } from 'diff'
import type { Hunk } from './hunks.ts'

/** What differs between two texts; undefined if it takes too long to find out. This file is loaded when it is needed. */
export function diffExactly(before: string, after: string): Hunk[] | undefined {
  const patch = structuredPatch('', '', before, after, '', '', { context: 3, timeout: 300 })
  return patch?.hunks.map(({ lines }) => ({
    // Where the text stands in its file is not known.
    oldStart: undefined,
    newStart: undefined,
    lines: lines.filter((line) => line[0] !== '\\'),
  }))
}

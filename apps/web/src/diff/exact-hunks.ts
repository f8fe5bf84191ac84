import { structuredPatch } from 'diff'
import type { Hunk } from './hunks.ts'

/** Texts up to this length are compared without a time limit. */
const shortCharacters = 2_000

/** Compares two texts; undefined if that takes too long. Loaded on demand. */
export function diffExactly(before: string, after: string): Hunk[] | undefined {
  const timeout = limitDiffTime(before, after, 300)
  const patch = structuredPatch('', '', before, after, '', '', { context: 3, timeout })
  return patch?.hunks.map(({ lines }) => ({
    // The position in the file is unknown.
    oldStart: undefined,
    newStart: undefined,
    lines: lines.filter((line) => line[0] !== '\\'),
  }))
}

/** The time limit for comparing two texts. Short ones have none, because a busy device could exceed it by a pause. */
export function limitDiffTime(before: string, after: string, ms: number): number {
  return before.length + after.length <= shortCharacters ? Number.POSITIVE_INFINITY : ms
}

import { diffLines } from 'diff'
import { useMemo } from 'react'
import type { DiffLine } from '../diff/diff-rows.ts'
import { limitDiffTime } from '../diff/exact-hunks.ts'
import { DiffView } from '../diff/diff-view.tsx'
import { words } from '../words/index.ts'
import { ExactText, HiddenNote } from './exact-text.tsx'

/** A larger change, or one that takes longer to compare, is shown as two complete texts. */
const maxCharacters = 200_000
const timeoutMs = 150

/** One change of a file, line by line. */
export function ChangeView({ before, after }: { readonly before: string; readonly after: string }) {
  const lines = useMemo(() => compareLines(before, after), [before, after])
  if (!lines)
    return (
      <>
        <ExactText label={`− ${words.asks.change}`} text={before} />
        <ExactText label={`+ ${words.asks.change}`} text={after} />
      </>
    )
  return (
    <figure className="min-w-0">
      <figcaption className="pb-1 text-sm text-dim">{words.asks.change}</figcaption>
      <div data-testid="change" className="overflow-hidden rounded-xl border border-line bg-code py-1">
        <DiffView rows={lines} label={words.asks.change} wraps isExact />
      </div>
      <HiddenNote text={after} />
    </figure>
  )
}

function compareLines(before: string, after: string): DiffLine[] | undefined {
  if (before.length + after.length > maxCharacters) return undefined
  const parts = diffLines(before, after, { timeout: limitDiffTime(before, after, timeoutMs) })
  return parts?.flatMap(({ value, added, removed }) =>
    value
      .replace(/\n$/, '')
      .split('\n')
      .map((text) => ({ kind: added ? 'added' : removed ? 'removed' : 'context', text }) as const),
  )
}

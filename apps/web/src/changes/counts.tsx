import { words } from '../words/index.ts'

/** Added and removed lines, by sign and colour, and as text for screen readers. */
export function Counts({ additions, deletions }: { readonly additions: number; readonly deletions: number }) {
  return (
    <span className="shrink-0 whitespace-nowrap tabular-nums">
      {(additions > 0 || deletions === 0) && (
        <span className="text-good">
          <span aria-hidden="true">+{additions}</span>
          <span className="sr-only">{words.changes.added(additions)}</span>
        </span>
      )}{' '}
      {deletions > 0 && (
        <span className="text-bad">
          <span aria-hidden="true">−{deletions}</span>
          <span className="sr-only">{words.changes.removed(deletions)}</span>
        </span>
      )}
    </span>
  )
}

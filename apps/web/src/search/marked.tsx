import { type ReactNode } from 'react'
import { markedParts } from './marked-parts.ts'

/** A text with the words that were looked for. */
export function Marked({
  text,
  matches,
}: {
  readonly text: string
  readonly matches: readonly (readonly [number, number])[]
}): ReactNode {
  return markedParts(text, matches).map(({ text: part, isMatch, at }) =>
    isMatch ? (
      <mark key={at} className="rounded-sm bg-warn-soft font-semibold text-warn">
        {part}
      </mark>
    ) : (
      part
    ),
  )
}

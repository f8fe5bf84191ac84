import { markText } from '@remora/protocol/plain'
import { useMemo } from 'react'

/** A text with invisible characters marked. */
export function MarkedText({ text }: { readonly text: string }) {
  const pieces = useMemo(() => markText(text), [text])
  return pieces.map((piece, index) =>
    piece.isMark ? (
      <mark key={index} className="mx-0.5 rounded whitespace-nowrap bg-warn-soft px-1 text-xs text-warn">
        {piece.text}
      </mark>
    ) : (
      <span key={index}>{piece.text}</span>
    ),
  )
}

import { markText } from '@remora/protocol/plain'
import { useMemo } from 'react'

/** A text in which every character can be seen. */
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

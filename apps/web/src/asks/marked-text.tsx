import { useMemo } from 'react'
import { visiblePieces } from './visible-signs.ts'

/** A text in which every sign can be seen. */
export function MarkedText({ text }: { readonly text: string }) {
  const pieces = useMemo(() => visiblePieces(text), [text])
  return pieces.map((piece, index) =>
    piece.isHidden ? (
      <mark key={index} className="mx-0.5 rounded bg-warn-soft px-1 text-xs text-warn">
        {piece.text}
      </mark>
    ) : (
      <span key={index}>{piece.text}</span>
    ),
  )
}

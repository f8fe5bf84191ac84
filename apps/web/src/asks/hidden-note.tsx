import { useMemo } from 'react'
import { words } from '../words/index.ts'
import { visiblePieces } from './visible-signs.ts'

/** Says that a text has signs in it which nobody would see. */
export function HiddenNote({ text }: { readonly text: string }) {
  const count = useMemo(() => visiblePieces(text).filter(({ isHidden }) => isHidden).length, [text])
  return count === 0 ? null : (
    <p className="pt-1.5 text-sm font-medium text-warn">{words.asks.hiddenSigns(count)}</p>
  )
}

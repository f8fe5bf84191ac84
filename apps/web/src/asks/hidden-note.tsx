import { markText } from '@remora/protocol/plain'
import { useMemo } from 'react'
import { words } from '../words/index.ts'

/** Warns about invisible or misleading characters in a text. */
export function HiddenNote({ text }: { readonly text: string }) {
  const count = useMemo(() => markText(text).filter(isNotable).length, [text])
  return count === 0 ? null : (
    <p className="pt-1.5 text-sm font-medium text-warn">{words.asks.hiddenCharacters(count)}</p>
  )
}

/** Tabs are marked but need no warning. */
function isNotable({ text, isMark }: { readonly text: string; readonly isMark: boolean }): boolean {
  return isMark && text !== '⇥'
}

import { createContext, useContext, useEffect, useMemo, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { words } from '../words/index.ts'
import { MarkedText } from '../ui/marked-text.tsx'
import { markText } from '@remora/protocol/plain'

/** The characters shown at first. A longer text must be expanded before the request can be allowed. */
const firstCharacters = 20_000
/** Texts with more lines show their line count. */
const fewLines = 8

/** Shows a text character by character, with hidden characters marked and cuts announced. */
export function ExactText({ label, text }: { readonly label: string; readonly text: string }) {
  const [isWhole, setWhole] = useState(false)
  const isCut = !isWhole && text.length > firstCharacters
  useCutText(isCut)
  const shown = isCut ? text.slice(0, firstCharacters) : text
  const lines = useMemo(() => countLines(text), [text])
  return (
    <figure className="min-w-0">
      <figcaption className="flex justify-between gap-3 pb-1 text-sm text-dim">
        <span className="break-words">{label}</span>
        {lines > fewLines && <span className="shrink-0">{words.asks.lines(lines)}</span>}
      </figcaption>
      <pre
        dir="ltr"
        data-testid="exactly"
        className="rounded-xl border border-line bg-code px-3 py-2.5 font-mono text-[0.875rem] leading-relaxed break-words whitespace-pre-wrap [overflow-wrap:anywhere]"
      >
        <MarkedText text={shown} />
      </pre>
      <HiddenNote text={text} />
      {isCut && (
        <div className="flex flex-wrap items-center justify-between gap-2 pt-1.5">
          <p className="text-sm font-medium text-warn">{words.asks.cut(firstCharacters, text.length)}</p>
          <Button onClick={() => setWhole(true)}>{words.asks.showAll}</Button>
        </div>
      )}
    </figure>
  )
}

function countLines(text: string): number {
  let count = 1
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count += 1
  return count
}

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

/** Counts the texts of a request that are not shown completely. While there are any, it cannot be allowed. */
export const CutTexts = createContext<(change: 1 | -1) => void>(() => {})

/** Counts a text while it is cut. */
export function useCutText(isCut: boolean): void {
  const count = useContext(CutTexts)
  useEffect(() => {
    if (!isCut) return undefined
    count(1)
    return () => count(-1)
  }, [isCut, count])
}

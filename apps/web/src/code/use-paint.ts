import { type RefObject, useEffect } from 'react'
import { highlight, highlightCharacters, highlightLines } from './highlight.ts'
import type { GrammarName } from './languages.ts'
import { paint } from './paint.ts'

/** How long a text must be unchanged before it is coloured. */
const restMs = 120

/** Highlights the text below an element once it stops changing. */
export function usePaint(
  root: RefObject<Element | null>,
  code: string,
  language: GrammarName | undefined,
): void {
  useEffect(() => {
    if (!language || isTooLong(code)) return undefined
    let takeAway: (() => void) | undefined
    let isGone = false
    const timer = setTimeout(() => {
      void highlight(code, language).then((spans) => {
        if (!isGone && spans && root.current) takeAway = paint(root.current, spans)
      })
    }, restMs)
    return () => {
      isGone = true
      clearTimeout(timer)
      takeAway?.()
    }
  }, [root, code, language])
}

export function isTooLong(code: string): boolean {
  if (code.length > highlightCharacters) return true
  let lines = 0
  for (let at = code.indexOf('\n'); at !== -1; at = code.indexOf('\n', at + 1))
    if (++lines >= highlightLines) return true
  return false
}

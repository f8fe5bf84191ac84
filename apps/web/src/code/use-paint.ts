import { type RefObject, useEffect } from 'react'
import { highlight, highlightCharacters, highlightLines } from './highlight.ts'
import type { GrammarName } from './languages.ts'
import { kinds } from './kinds.ts'

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

interface HighlightSet {
  add(range: AbstractRange): void
  delete(range: AbstractRange): void
}

/**
 * Colours ranges of a text in place with the CSS highlight API. The text stays one node, so that nothing moves and
 * copying works. Without browser support the text stays plain. Returns a function that removes the colours.
 */
function paint(root: Element, spans: Uint32Array): () => void {
  const sets = highlightSets()
  if (!sets) return () => {}
  const painted: [HighlightSet, AbstractRange][] = []
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
  let node = walker.nextNode() as Text | null
  let from = 0
  for (let index = 0; index + 2 < spans.length; index += 3) {
    let start = spans[index]!
    const end = spans[index + 1]!
    const set = sets[spans[index + 2]!]
    if (!set) continue
    while (node && start < end) {
      const to = from + node.length
      if (start >= to) {
        from = to
        node = walker.nextNode() as Text | null
        continue
      }
      const range = new StaticRange({
        startContainer: node,
        startOffset: start - from,
        endContainer: node,
        endOffset: Math.min(end, to) - from,
      })
      set.add(range)
      painted.push([set, range])
      start = Math.min(end, to)
    }
    if (!node) break
  }
  return () => {
    for (const [set, range] of painted) set.delete(range)
  }
}

let made: HighlightSet[] | undefined

function highlightSets(): HighlightSet[] | undefined {
  if (made) return made
  const page = globalThis as {
    Highlight?: new () => HighlightSet
    CSS?: { highlights?: Map<string, HighlightSet> }
  }
  const { Highlight } = page
  const registry = page.CSS?.highlights
  if (!Highlight || !registry) return undefined
  made = kinds.map(({ name }) => {
    const set = new Highlight()
    registry.set(`code-${name}`, set)
    return set
  })
  return made
}

import { type Range, defaultRangeExtractor } from '@tanstack/react-virtual'
import { type RefObject, useCallback, useEffect, useState } from 'react'
import type { Row } from './rows.ts'
import type { Message } from '@remora/protocol'
import { lexOnce } from '../../markdown/lex.ts'

/** Rows drawn beyond the visible ones. */
const usualOverscan = 3

export interface DrawnRows {
  readonly overscan: number
  readonly rangeExtractor: (range: Range) => number[]
  /** Draws all visible rows from now on. */
  readonly drawAll: () => void
}

/**
 * Chooses which rows to draw. When a conversation opens, rows are drawn one per task from the end until the screen
 * is full, so that input stays responsive.
 */
export function useDrawnRows(rows: readonly Row[], scroller: RefObject<HTMLElement | null>): DrawnRows {
  const [last, setLast] = useState(1)
  const [overscan, setOverscan] = useState(0)
  const count = rows.length
  useEffect(() => {
    if (count === 0 || overscan === usualOverscan) return undefined
    let timer = setTimeout(() => {
      if (last === Infinity) return setOverscan(overscan + 1)
      const next = rows.at(-last - 1)
      if (!next || isFull(scroller.current)) return setLast(Infinity)
      readAhead(next.message)
      timer = setTimeout(() => setLast(last + 1))
    })
    return () => clearTimeout(timer)
  }, [scroller, rows, count, last, overscan])
  const rangeExtractor = useCallback(
    (range: Range) => (last === Infinity ? defaultRangeExtractor(range) : listLast(range.count, last)),
    [last],
  )
  const drawAll = useCallback(() => {
    setLast(Infinity)
    setOverscan(usualOverscan)
  }, [])
  return { overscan, rangeExtractor, drawAll }
}

function listLast(count: number, most: number): number[] {
  const length = Math.min(count, most)
  return Array.from({ length }, (_, index) => count - length + index)
}

/** Whether the first drawn row reaches the top edge. */
function isFull(scroller: HTMLElement | null): boolean {
  const first = scroller?.querySelector('[data-index]')
  return !!first && first.getBoundingClientRect().top <= scroller!.getBoundingClientRect().top
}

/** Lexes the Markdown of a message before it is drawn, to spread the work. */
function readAhead({ role, content }: Message): void {
  if (role !== 'assistant' || !Array.isArray(content)) return
  for (const block of content)
    if (block.type === 'text' && typeof block.text === 'string') lexOnce(block, block.text)
}

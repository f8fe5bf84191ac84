import { memo, useEffect, useRef } from 'react'
import { classNames } from '../ui/class-names.ts'
import { usePaint } from './use-paint.ts'
import type { GrammarName } from './languages.ts'

export interface CodeTextProps {
  readonly code: string
  readonly language?: GrammarName | undefined
  /** The number of the first line, or the number of each line. */
  readonly numbers?: number | readonly (number | undefined)[] | undefined
  readonly className?: string
  /** The accessible name. */
  readonly label: string
}

/** Code that scrolls sideways, in two elements whatever its length. */
export const CodeText = memo(function CodeText({ code, language, numbers, className, label }: CodeTextProps) {
  const text = useRef<HTMLElement>(null)
  usePaint(text, code, language)
  const scroller = useRef<HTMLDivElement>(null)
  useFocusIfScrollable(scroller)
  return (
    <div
      ref={scroller}
      role="group"
      aria-label={label}
      className={classNames(
        'flex overflow-x-auto overscroll-x-contain font-mono text-[0.8125rem] leading-5',
        className,
      )}
    >
      {numbers !== undefined && (
        <pre
          aria-hidden="true"
          className="sticky left-0 shrink-0 bg-inherit py-2 pr-3 pl-3 text-right text-faint select-none"
        >
          {gutter(code, numbers)}
        </pre>
      )}
      <pre className={classNames('flex-1 py-2 pr-3', numbers === undefined && 'pl-3')}>
        <code ref={text}>{code}</code>
      </pre>
    </div>
  )
})

/** Only a scrollable element is a tab stop. */
export function useFocusIfScrollable(ref: { readonly current: HTMLElement | null }): void {
  useEffect(() => {
    const element = ref.current
    if (!element) return undefined
    // Observed, because reading the width directly would force a layout.
    const observer = new ResizeObserver(() => {
      if (element.scrollWidth > element.clientWidth + 1) element.tabIndex = 0
      else element.removeAttribute('tabindex')
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [ref])
}

function gutter(code: string, numbers: number | readonly (number | undefined)[]): string {
  if (typeof numbers !== 'number') return numbers.map((number) => number ?? '').join('\n')
  const lines = code.split('\n').length
  return Array.from({ length: lines }, (_, index) => numbers + index).join('\n')
}

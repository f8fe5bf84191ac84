import { type RefObject, useEffect, useRef, useState } from 'react'
import { DownIcon } from '../ui/icons.tsx'
import { words } from '../words/index.ts'

/** Stands at the end of what scrolls, and says over its edge that the end is not in sight. */
export function MoreBelow({ scroller }: { readonly scroller: RefObject<HTMLElement | null> }) {
  const end = useRef<HTMLSpanElement>(null)
  const [isMore, setMore] = useState(false)
  useEffect(() => {
    if (!end.current) return undefined
    const observer = new IntersectionObserver(([entry]) => setMore(entry?.isIntersecting === false), {
      root: scroller.current,
      rootMargin: '0px 0px 24px 0px',
    })
    observer.observe(end.current)
    return () => observer.disconnect()
  }, [scroller])
  return (
    <>
      <span ref={end} aria-hidden="true" className="block h-px" />
      {isMore && (
        <button
          type="button"
          onClick={() => end.current?.scrollIntoView({ behavior: 'smooth', block: 'end' })}
          className="absolute inset-x-0 bottom-0 mx-auto flex min-h-11 w-fit items-center gap-1.5 rounded-t-xl border border-b-0 border-line bg-raised px-4 text-sm font-medium text-accent shadow-lg"
        >
          <DownIcon className="size-4" />
          {words.asks.more}
        </button>
      )}
    </>
  )
}

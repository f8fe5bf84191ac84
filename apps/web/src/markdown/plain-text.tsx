import { useState } from 'react'
import { classNames } from '../ui/class-names.ts'
import { fold } from '../code/fold.ts'
import { ShowAll } from '../code/show-all.tsx'

/** Text as written, folded if it is very long. */
export function PlainText({
  text,
  lines = 60,
  className,
}: {
  readonly text: string
  readonly lines?: number
  readonly className?: string
}) {
  const [isWhole, setWhole] = useState(false)
  const folded = fold(text, { lines })
  return (
    <>
      <p dir="auto" className={classNames('[overflow-wrap:anywhere] whitespace-pre-wrap', className)}>
        {isWhole ? text : folded.text}
      </p>
      {folded.isFolded && !isWhole && <ShowAll lines={folded.lines} onShow={() => setWhole(true)} />}
    </>
  )
}

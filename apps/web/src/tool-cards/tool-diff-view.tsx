import { type ReactNode, memo, useEffect, useMemo, useRef, useState } from 'react'
import { classNames } from '../ui/class-names.ts'
import { visible } from '../diff/visible.ts'
import { words } from '../words/index.ts'
import { useFocusWhereItScrolls } from '../code/code-text.tsx'
import { languageOfPath } from '../code/languages.ts'
import { ShowAll } from '../code/show-all.tsx'
import { usePaint } from '../code/use-paint.ts'
import type { FileDiff, Hunk } from '../diff/hunks.ts'
import { type Mark, marksOf } from '../diff/marks.ts'

interface Line {
  readonly sign: '+' | '-' | ' ' | '@'
  readonly text: string
  readonly number: number | undefined
  readonly mark: Mark | undefined
}

const foldedLines = 40
const mostLines = 5_000

const looks = {
  '+': 'bg-good-soft before:text-good before:content-["+"]',
  '-': 'bg-bad-soft before:text-bad before:content-["−"]',
  ' ': 'before:content-["_"] before:invisible',
  '@': 'bg-sunken before:content-["_"] before:invisible',
}

/** The change of one file: numbers, signs and colours, and within a line what is different. */
export const DiffView = memo(function DiffView({
  file,
  withPath,
}: {
  readonly file: FileDiff
  readonly withPath?: boolean
}) {
  const hunks = useExactHunks(file)
  const lines = useMemo(() => hunks.flatMap(linesOf), [hunks])
  const [isWhole, setWhole] = useState(false)
  const isFolded = !isWhole && lines.length > foldedLines * 1.3
  const shown = isFolded ? lines.slice(0, foldedLines) : lines.slice(0, mostLines)
  const isNumbered = shown.some(({ number }) => number !== undefined)

  const text = useRef<HTMLElement>(null)
  const code = useMemo(() => shown.map((line) => `${line.text}\n`).join(''), [shown])
  usePaint(text, code, languageOfPath(file.path))
  const scroller = useRef<HTMLDivElement>(null)
  useFocusWhereItScrolls(scroller)

  return (
    <div className="bg-code">
      {withPath && (
        <p className="border-b border-line px-3 py-1.5 font-mono text-xs [overflow-wrap:anywhere] text-dim">
          {words.tools.fileKinds[file.kind](file.path ?? '')}
        </p>
      )}
      <div
        ref={scroller}
        role="group"
        aria-label={words.tools.changesOf(file.path ?? '')}
        className="flex overflow-x-auto overscroll-x-contain bg-code font-mono text-[0.8125rem] leading-5"
      >
        {isNumbered && (
          <pre
            aria-hidden="true"
            className="sticky left-0 shrink-0 bg-inherit py-1.5 pr-2 pl-3 text-right text-faint select-none"
          >
            {shown.map(({ number }) => number ?? '').join('\n')}
          </pre>
        )}
        <pre className="min-w-0 flex-1 py-1.5">
          <code ref={text} className="block w-max min-w-full">
            {shown.map((line, index) => (
              <div
                key={index}
                className={classNames(
                  'pr-3 before:mr-1.5 before:ml-1.5 before:select-none',
                  looks[line.sign],
                )}
              >
                {marked(line)}
              </div>
            ))}
          </code>
        </pre>
      </div>
      {isFolded && <ShowAll lines={lines.length} onShow={() => setWhole(true)} />}
    </div>
  )
})

function marked({ text, mark, sign }: Line): ReactNode {
  if (!mark || mark.from === mark.to) return `${text}\n`
  return (
    <>
      {text.slice(0, mark.from)}
      <span
        className={classNames(
          'rounded-sm',
          sign === '+'
            ? 'bg-[color-mix(in_oklab,var(--good)_28%,transparent)]'
            : 'bg-[color-mix(in_oklab,var(--bad)_28%,transparent)]',
        )}
      >
        {text.slice(mark.from, mark.to)}
      </span>
      {`${text.slice(mark.to)}\n`}
    </>
  )
}

function linesOf({ oldStart, newStart, lines }: Hunk, index: number): Line[] {
  let before = oldStart
  let after = newStart
  const marks = marksOf(lines)
  const made: Line[] = lines.map((line, place) => {
    const sign = line[0] === '+' || line[0] === '-' ? line[0] : ' '
    const number = sign === '-' ? before : after
    if (sign !== '+' && before !== undefined) before++
    if (sign !== '-' && after !== undefined) after++
    return { sign, text: visible(line.slice(1)), number, mark: marks[place] }
  })
  return index === 0 ? made : [{ sign: '@', text: '⋯', number: undefined, mark: undefined }, ...made]
}

/** At first all between the common beginning and end, then what really differs. */
function useExactHunks({ hunks, texts }: FileDiff): readonly Hunk[] {
  const [exact, setExact] = useState<readonly Hunk[]>()
  useEffect(() => {
    // One that only adds or only removes is exact already.
    const isMixed = hunks.some(({ lines }) => lines.filter((line) => line[0] !== ' ').length > 2)
    if (!texts || !isMixed || texts.before.length + texts.after.length > 400_000) return undefined
    let isGone = false
    import('../diff/exact-hunks.ts')
      .then(({ exactHunks }) => {
        if (!isGone) setExact(exactHunks(texts.before, texts.after))
      })
      .catch(() => {
        // The rough one tells the same at greater length.
      })
    return () => {
      isGone = true
    }
  }, [hunks, texts])
  return exact ?? hunks
}

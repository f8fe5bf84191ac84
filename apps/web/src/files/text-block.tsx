import { memo, useMemo, useRef } from 'react'
import type { GrammarName } from '../code/languages.ts'
import { usePaint } from '../code/use-paint.ts'
import { classNames } from '../ui/class-names.ts'
import { replaceInvisible } from '../diff/replace-invisible.ts'
import { words } from '../words/index.ts'

export interface TextBlockProps {
  /** Identifies the loaded version of the file. */
  readonly of: object
  /** The number of the first line. */
  readonly from: number
  /** Undefined while loading. */
  readonly lines: readonly string[] | undefined
  /** The estimated height until the lines are loaded. */
  readonly height: number
  readonly language: GrammarName | undefined
  readonly marked: number | undefined
  /** The width of the line numbers, in characters. */
  readonly width: number
  readonly wraps: boolean
}

const longestLine = 5_000

/** Some lines of a file. Line numbers are generated content, so that copying takes only the text. */
export const TextBlock = memo(
  function TextBlock({ from, lines, height, language, marked, width, wraps }: TextBlockProps) {
    const shown = useMemo(
      () => lines?.map((line) => `${replaceInvisible(line.slice(0, longestLine))}\n`) ?? [],
      [lines],
    )
    const code = useMemo(() => shown.join(''), [shown])
    const root = useRef<HTMLDivElement>(null)
    usePaint(root, code, language)
    if (!lines) return <div style={{ height }} />
    return (
      <div ref={root}>
        {shown.map((line, index) => {
          const number = from + index
          const more = lines[index]!.length - longestLine
          return (
            <div
              key={number}
              data-line={number}
              data-number={`${String(number).padStart(width)} `}
              data-more={more > 0 ? words.changes.lineCut(more) : undefined}
              className={classNames(
                'flex bg-raised before:sticky before:left-0 before:shrink-0 before:bg-inherit before:px-2 before:whitespace-pre before:text-faint before:select-none before:content-[attr(data-number)]',
                number === marked && 'bg-accent-soft!',
                more > 0 && 'after:shrink-0 after:px-2 after:text-faint after:content-[attr(data-more)]',
              )}
            >
              <span
                className={classNames(
                  'flex-1 pr-3',
                  wraps ? 'min-w-0 wrap-anywhere whitespace-pre-wrap' : 'whitespace-pre',
                )}
              >
                {line}
              </span>
            </div>
          )
        })}
      </div>
    )
  },
  // Each render slices the lines again, but loaded lines of one version never change.
  (before, after) =>
    before.of === after.of &&
    before.from === after.from &&
    before.lines?.length === after.lines?.length &&
    before.language === after.language &&
    before.marked === after.marked &&
    before.wraps === after.wraps &&
    before.width === after.width,
)

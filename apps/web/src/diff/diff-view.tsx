import { memo, useMemo, useRef, useState } from 'react'
import { useFocusIfScrollable } from '../code/code-text.tsx'
import type { GrammarName } from '../code/languages.ts'
import { usePaint } from '../code/use-paint.ts'
import { classNames } from '../ui/class-names.ts'
import { MarkedText } from '../ui/marked-text.tsx'
import { words } from '../words/index.ts'
import type { DiffLine, DiffRow } from './diff-rows.ts'
import { replaceInvisible } from './replace-invisible.ts'

export interface DiffViewProps {
  readonly rows: readonly DiffRow[]
  /** The accessible name. */
  readonly label: string
  readonly language?: GrammarName | undefined
  /** Long lines wrap. Without it they scroll sideways. */
  readonly wraps?: boolean
  /** Both line numbers where there is room, or always only one of them. */
  readonly numbers?: 'both' | 'one'
  /** How many rows are shown first, and how many more per tap. */
  readonly folded?: number
  readonly step?: number
  /** For a decision: marks every hidden character, cuts no line and folds nothing. */
  readonly isExact?: boolean
}

const longestLine = 2_000
const signs = { context: ' ', added: '+', removed: '−' } as const
const colours = {
  context: 'bg-inherit',
  added: 'bg-good-soft no-underline before:text-good',
  removed: 'bg-bad-soft no-underline before:text-bad',
} as const

/** A diff with line numbers, signs and colours, on the background of its parent. @example <DiffView rows={parseHunks(hunks)} label={path} /> */
export const DiffView = memo(function DiffView(props: DiffViewProps) {
  const { rows, label, language, wraps = false, numbers = 'both', isExact = false } = props
  const { folded = 300, step = 1_000 } = props
  const [most, setMost] = useState(folded)
  const isAll = isExact || rows.length <= most * 1.2
  const shown = useMemo(() => (isAll ? rows : rows.slice(0, most)), [rows, isAll, most])
  const width = useMemo(() => measureNumbers(rows), [rows])
  const code = useMemo(
    () => (language ? shown.map((row) => (isLine(row) ? toLine(row) : '')).join('') : ''),
    [shown, language],
  )
  const root = useRef<HTMLDivElement>(null)
  usePaint(root, code, language)
  const scroller = useRef<HTMLDivElement>(null)
  useFocusIfScrollable(scroller)
  const hidden = rows.length - shown.length
  return (
    <div className="bg-inherit">
      <div
        ref={scroller}
        role="group"
        aria-label={label}
        dir="ltr"
        className="@container overflow-x-auto overscroll-x-contain bg-inherit py-1 font-mono text-[0.8125rem] leading-5 focus-visible:-outline-offset-2"
      >
        <div ref={root} className={classNames('bg-inherit', wraps ? 'w-full' : 'w-max min-w-full')}>
          {shown.map((row, index) => (
            <Row
              key={index}
              row={row}
              width={width}
              wraps={wraps}
              numbers={numbers}
              isExact={isExact}
              isFirst={index === 0}
            />
          ))}
        </div>
      </div>
      {hidden > 0 && (
        <button
          type="button"
          onClick={() => setMost(most + step)}
          className="flex min-h-11 w-full items-center justify-center border-t border-line px-3 text-sm font-medium text-accent hover:bg-sunken"
        >
          {words.changes.moreLines(hidden)}
        </button>
      )}
    </div>
  )
})

interface RowProps {
  readonly row: DiffRow
  readonly width: number
  readonly wraps: boolean
  readonly numbers: 'both' | 'one'
  readonly isExact: boolean
  readonly isFirst: boolean
}

/** Numbers and signs are generated content, so that selecting and copying takes only the code. */
const Row = memo(function Row({ row, width, wraps, numbers, isExact, isFirst }: RowProps) {
  if (row.kind === 'hunk' || row.kind === 'gap') {
    // A hunk at the start of the file needs no heading.
    if (row.kind === 'hunk' && isFirst && row.old <= 1 && row.new <= 1 && row.text === '') return null
    const head =
      row.kind === 'gap' ? '⋯' : `@@ ${row.old} → ${row.new}  ${replaceInvisible(row.text).slice(0, 200)}`
    return (
      <div
        data-head={head}
        className="bg-sunken px-3 py-0.5 text-xs whitespace-pre text-dim before:sticky before:left-3 before:content-[attr(data-head)] not-first:mt-1"
      />
    )
  }
  if (row.kind === 'end')
    return (
      <div
        data-note={words.changes.noNewline}
        className="px-3 text-xs text-faint before:sticky before:left-3 before:content-[attr(data-note)]"
      />
    )
  const sign = signs[row.kind]
  const pad = (number: number | undefined): string =>
    width === 0 ? '' : `${`${number ?? ''}`.padStart(width)} `
  const narrow = `${pad(row.new ?? row.old)}${sign} `
  const Tag = row.kind === 'added' ? 'ins' : row.kind === 'removed' ? 'del' : 'div'
  const more = isExact ? 0 : row.text.length - longestLine
  return (
    <Tag
      data-kind={row.kind}
      data-narrow={narrow}
      data-wide={numbers === 'both' && width > 0 ? `${pad(row.old)}${pad(row.new)}${sign} ` : narrow}
      data-more={more > 0 ? words.changes.lineCut(more) : undefined}
      className={classNames(
        'flex before:sticky before:left-0 before:shrink-0 before:bg-inherit before:pl-2 before:whitespace-pre before:text-faint before:select-none before:content-[attr(data-narrow)] @xl:before:content-[attr(data-wide)]',
        colours[row.kind],
        more > 0 && 'after:shrink-0 after:px-2 after:text-faint after:content-[attr(data-more)]',
      )}
    >
      <span
        className={classNames(
          'flex-1 pr-3',
          wraps ? 'min-w-0 wrap-anywhere whitespace-pre-wrap' : 'whitespace-pre',
        )}
      >
        {isExact ? (
          <>
            <MarkedText text={row.text} />
            {'\n'}
          </>
        ) : (
          <Text row={row} />
        )}
      </span>
    </Tag>
  )
})

function Text({ row }: { readonly row: DiffLine }) {
  const line = toLine(row)
  const [from, to] = row.part ?? [0, 0]
  if (from === to || row.kind === 'context') return line
  return (
    <>
      {line.slice(0, from)}
      <span className={classNames('rounded-xs', row.kind === 'added' ? 'bg-good/25' : 'bg-bad/25')}>
        {line.slice(from, to)}
      </span>
      {line.slice(to)}
    </>
  )
}

function isLine(row: DiffRow): row is DiffLine {
  return row.kind === 'context' || row.kind === 'added' || row.kind === 'removed'
}

/** Ends with a line break, so that a copied selection keeps its lines. */
function toLine({ text }: { readonly text: string }): string {
  return `${replaceInvisible(text.slice(0, longestLine))}\n`
}

/** The digits of the largest line number; 0 if no line has a number. */
function measureNumbers(rows: readonly DiffRow[]): number {
  let most = 0
  for (const row of rows) if (isLine(row)) most = Math.max(most, row.old ?? 0, row.new ?? 0)
  return most === 0 ? 0 : Math.max(2, String(most).length)
}

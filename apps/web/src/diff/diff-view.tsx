import { memo, useMemo, useRef, useState } from 'react'
import type { GrammarName } from '../code/languages.ts'
import { usePaint } from '../code/use-paint.ts'
import { words } from '../words/index.ts'
import { classNames } from '../ui/class-names.ts'
import { type DiffLine, type DiffRow, parseHunks } from './parse-hunks.ts'
import { visible } from './visible.ts'

export interface DiffViewProps {
  /** Unified hunks, without the heads of files. */
  readonly hunks: string
  /** What it is, for those who come to it by the keyboard to scroll it. */
  readonly label: string
  readonly language?: GrammarName | undefined
  /** Long lines go on in the next row, else it scrolls sideways. */
  readonly wraps?: boolean
  /** How many rows are there before one asks for more. */
  readonly folded?: number
}

const longestLine = 2_000
const moreRows = 1_000
const signs = { context: ' ', added: '+', removed: '−' } as const
const looks = {
  context: '',
  added: 'bg-good-soft no-underline before:text-good',
  removed: 'bg-bad-soft no-underline before:text-bad',
} as const

/** A diff with numbers, signs and colours. @example <DiffView hunks={file.hunks} label={file.path} /> */
export const DiffView = memo(function DiffView(props: DiffViewProps) {
  const { hunks, label, language, wraps = false, folded = 300 } = props
  const rows = useMemo(() => parseHunks(hunks), [hunks])
  const [most, setMost] = useState(folded)
  // To unfold must be worth a tap.
  const shown = useMemo(() => (rows.length <= most * 1.2 ? rows : rows.slice(0, most)), [rows, most])
  const width = useMemo(() => numberWidth(rows), [rows])
  const code = useMemo(
    () => shown.map((row) => ('text' in row && row.kind !== 'hunk' ? lineOf(row) : '')).join(''),
    [shown],
  )
  const root = useRef<HTMLDivElement>(null)
  usePaint(root, code, language)
  const left = rows.length - shown.length
  return (
    <div>
      <div
        role="group"
        aria-label={label}
        tabIndex={0}
        dir="ltr"
        className="@container overflow-x-auto overscroll-x-contain bg-raised py-1 font-mono text-[0.8125rem] leading-5 focus-visible:-outline-offset-2"
      >
        <div ref={root} className={wraps ? 'w-full' : 'w-max min-w-full'}>
          {shown.map((row, index) => (
            <Row key={index} row={row} width={width} wraps={wraps} isFirst={index === 0} />
          ))}
        </div>
      </div>
      {left > 0 && (
        <button
          type="button"
          onClick={() => setMost(most + moreRows)}
          className="flex min-h-11 w-full items-center justify-center border-t border-line px-3 text-sm font-medium text-accent hover:bg-sunken"
        >
          {words.changes.moreLines(left)}
        </button>
      )}
    </div>
  )
})

interface RowProps {
  readonly row: DiffRow
  readonly width: number
  readonly wraps: boolean
  readonly isFirst: boolean
}

/** Numbers and signs are no text, so that marking and copying takes the code alone. */
const Row = memo(function Row({ row, width, wraps, isFirst }: RowProps) {
  if (row.kind === 'hunk') {
    // That it begins at its beginning need not be said.
    if (isFirst && row.old <= 1 && row.new <= 1 && row.text === '') return null
    return (
      <div
        data-head={`@@ ${row.old} → ${row.new}  ${visible(row.text).slice(0, 200)}`}
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
  const place = (number: number | undefined): string => String(number ?? '').padStart(width)
  const Tag = row.kind === 'added' ? 'ins' : row.kind === 'removed' ? 'del' : 'div'
  const more = row.text.length - longestLine
  return (
    <Tag
      data-kind={row.kind}
      data-narrow={`${place(row.new ?? row.old)} ${sign} `}
      data-wide={`${place(row.old)} ${place(row.new)} ${sign} `}
      data-more={more > 0 ? words.changes.lineCut(more) : undefined}
      className={classNames(
        'flex before:sticky before:left-0 before:shrink-0 before:bg-inherit before:pl-2 before:whitespace-pre before:text-faint before:select-none before:content-[attr(data-narrow)] @xl:before:content-[attr(data-wide)]',
        row.kind === 'context' && 'bg-raised',
        looks[row.kind],
        more > 0 && 'after:shrink-0 after:px-2 after:text-faint after:content-[attr(data-more)]',
      )}
    >
      <span
        className={classNames(
          'flex-1 pr-3',
          wraps ? 'min-w-0 wrap-anywhere whitespace-pre-wrap' : 'whitespace-pre',
        )}
      >
        <Text row={row} />
      </span>
    </Tag>
  )
})

function Text({ row }: { readonly row: DiffLine }) {
  const line = lineOf(row)
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

/** With its line break, so that what is marked is copied in lines. */
function lineOf({ text }: { readonly text: string }): string {
  return `${visible(text.slice(0, longestLine))}\n`
}

function numberWidth(rows: readonly DiffRow[]): number {
  let most = 0
  for (const row of rows) if (row.kind !== 'end') most = Math.max(most, row.old ?? 0, row.new ?? 0)
  return Math.max(2, String(most).length)
}

import { diffLines } from 'diff'
import { useMemo } from 'react'
import { words } from '../words/index.ts'
import { ExactText } from './exact-text.tsx'
import { HiddenNote } from './hidden-note.tsx'
import { MarkedText } from './marked-text.tsx'

/** A larger change, or one that takes longer to compare, is shown as what was there and what comes. */
const mostSigns = 200_000
const timeoutMs = 150

/** One change of a file, line by line. */
export function ChangeView({ before, after }: { readonly before: string; readonly after: string }) {
  const lines = useMemo(() => linesOf(before, after), [before, after])
  if (!lines)
    return (
      <>
        <ExactText label={`− ${words.asks.change}`} text={before} />
        <ExactText label={`+ ${words.asks.change}`} text={after} />
      </>
    )
  return (
    <figure className="min-w-0">
      <figcaption className="pb-1 text-sm text-dim">{words.asks.change}</figcaption>
      <pre
        dir="ltr"
        data-testid="change"
        className="overflow-hidden rounded-xl border border-line bg-code py-2 font-mono text-[0.8125rem] leading-relaxed"
      >
        {lines.map(({ sign, text }, index) => (
          <span key={index} className={`flex px-3 ${looks[sign]}`}>
            <span aria-hidden="true" className="w-4 shrink-0 select-none">
              {sign}
            </span>
            <span className="min-w-0 flex-1 break-words whitespace-pre-wrap [overflow-wrap:anywhere]">
              {text === '' ? ' ' : <MarkedText text={text} />}
            </span>
          </span>
        ))}
      </pre>
      <HiddenNote text={after} />
    </figure>
  )
}

const looks = { '+': 'bg-good-soft text-good', '-': 'bg-bad-soft text-bad', ' ': '' } as const

function linesOf(before: string, after: string): { sign: keyof typeof looks; text: string }[] | undefined {
  if (before.length + after.length > mostSigns) return undefined
  const parts = diffLines(before, after, { timeout: timeoutMs })
  return parts?.flatMap(({ value, added, removed }) =>
    value
      .replace(/\n$/, '')
      .split('\n')
      .map((text) => ({ sign: added ? ('+' as const) : removed ? ('-' as const) : (' ' as const), text })),
  )
}

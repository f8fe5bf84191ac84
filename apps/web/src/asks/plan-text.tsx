import { markText } from '@remora/protocol/plain'
import { useMemo } from 'react'
import { lex } from '../markdown/lex.ts'
import { Markdown } from '../markdown/markdown.tsx'
import { words } from '../words/index.ts'
import { ExactText } from './exact-text.tsx'

/** Links, images, references and HTML, of which Markdown shows less than is written. */
const hiding = /\]\(|\]\[|^\s*\[[^\]]+\]:|<[!/?a-z]|&#?\w+;/im

/** A plan as Markdown where that hides nothing, else exactly as the agent wrote it. */
export function PlanText({ text }: { readonly text: string }) {
  const isPlain = useMemo(() => !hiding.test(text) && markText(text).every(({ isMark }) => !isMark), [text])
  const tokens = useMemo(() => (isPlain ? lex(text) : undefined), [isPlain, text])
  if (!tokens) return <ExactText label={words.asks.plan} text={text} />
  return (
    <section aria-label={words.asks.plan}>
      <div
        dir="auto"
        className="rounded-xl border border-line bg-paper px-4 py-3 break-words [overflow-wrap:anywhere]"
      >
        <Markdown tokens={tokens} text={text} />
      </div>
    </section>
  )
}

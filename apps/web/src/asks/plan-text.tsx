import { useMemo } from 'react'
import { lex } from '../chat/markdown/lex.ts'
import { Markdown } from '../chat/markdown/markdown.tsx'
import { words } from '../words/index.ts'
import { HiddenNote } from './hidden-note.tsx'

/** A plan as the agent wrote it, with its marks. */
export function PlanText({ text }: { readonly text: string }) {
  const tokens = useMemo(() => lex(text), [text])
  return (
    <section aria-label={words.asks.plan}>
      <div
        dir="auto"
        className="rounded-xl border border-line bg-paper px-4 py-3 break-words [overflow-wrap:anywhere]"
      >
        <Markdown tokens={tokens} text={text} />
      </div>
      <HiddenNote text={text} />
    </section>
  )
}

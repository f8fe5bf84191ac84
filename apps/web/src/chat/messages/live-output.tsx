import type { LiveInfo } from '@remora/protocol'
import { memo, useRef } from 'react'
import { words } from '../../words/index.ts'
import { lexIncrementally } from '../../markdown/lex.ts'
import { Markdown } from '../../markdown/markdown.tsx'

/** The agent's current output, before it is in the transcript. */
export function LiveOutput({
  live,
  text,
  subject,
}: {
  readonly live: LiveInfo | undefined
  readonly text: string | undefined
  readonly subject: string | undefined
}) {
  const isWorking = live?.state === 'working' || live?.state === 'starting'
  if (!isWorking && !text) return null
  return (
    <div data-testid="now">
      {text && <GrowingMarkdown text={text} />}
      {isWorking && (
        <p role="status" className="flex items-center gap-2 py-1 text-sm text-dim">
          <span className="size-2 shrink-0 animate-[breathe_1.2s_infinite] rounded-full bg-accent" />
          <span className="truncate">{subject ?? live.detail ?? words.chat.working}</span>
        </p>
      )}
    </div>
  )
}

/** Updates up to twenty times a second, so only the last block is lexed and rendered again. */
const GrowingMarkdown = memo(function GrowingMarkdown({ text }: { readonly text: string }) {
  const lexed = useRef<ReturnType<typeof lexIncrementally>>(undefined)
  lexed.current = lexIncrementally(lexed.current, text)
  return <Markdown tokens={lexed.current?.tokens} text={text} />
})

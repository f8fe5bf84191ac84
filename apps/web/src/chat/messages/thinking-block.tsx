import type { ThinkingBlock } from '@remora/protocol'
import { memo, useState } from 'react'
import { BrainIcon } from '../../ui/icons.tsx'
import { words } from '../../words/index.ts'
import { lexOnce } from '../../markdown/lex.ts'
import { Markdown } from '../../markdown/markdown.tsx'
import { firstLine } from '../../tool-calls/fields.ts'

/** A line that says what was thought about; all of it on a tap. */
export const Thinking = memo(function Thinking({ block }: { readonly block: ThinkingBlock }) {
  const [isOpen, setOpen] = useState(false)
  const thought = typeof block.thinking === 'string' ? block.thinking : ''
  const text = thought || block.description || ''
  const subject = firstLine((block.subject || thought).replaceAll('**', ''), 160) || words.message.thinking
  return (
    <div className="min-w-0">
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        className="-my-1.5 flex min-h-11 w-full items-center gap-2 text-left text-sm text-dim hover:text-ink"
      >
        <BrainIcon className="size-4 shrink-0" />
        <span className="sr-only">{words.message.thinking}</span>
        <span className="min-w-0 truncate italic">{subject}</span>
      </button>
      {isOpen && text !== '' && (
        <div className="mt-1 border-l-2 border-line pl-3 text-sm text-dim">
          <Markdown tokens={lexOnce(block, text)} text={text} />
        </div>
      )}
    </div>
  )
})

import type { TextBlock } from '@remora/protocol'
import { memo } from 'react'
import { words } from '../../words/index.ts'
import { lexOnce } from '../../markdown/lex.ts'
import { Markdown } from '../../markdown/markdown.tsx'
import { PlainText } from '../../markdown/plain-text.tsx'

/** Words. What a person wrote stands as it was written, but for code in fences. */
export const TextView = memo(function TextView({
  block,
  isOwn,
}: {
  readonly block: TextBlock
  readonly isOwn: boolean
}) {
  const text = typeof block.text === 'string' ? block.text : String(block.text)
  if (isOwn && !/^ {0,3}(?:```|~~~)/m.test(text)) return <PlainText text={text} lines={20} />
  const body = <Markdown tokens={lexOnce(block, text)} text={text} />
  if (!block.partial) return body
  return (
    <div>
      {body}
      <p className="mt-1 text-xs text-faint">{words.message.partial}</p>
    </div>
  )
})

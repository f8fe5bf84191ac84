import { memo, useState } from 'react'
import { words } from '../words/index.ts'
import { CodeText } from './code-text.tsx'
import { CopyButton } from './copy-button.tsx'
import { fold } from './fold.ts'
import { findGrammar } from './languages.ts'
import { ShowAll } from './show-all.tsx'
import { isTooLong } from './use-paint.ts'

/** A code block with its language and a copy button. */
export const CodeBlock = memo(function CodeBlock({
  code,
  language,
}: {
  readonly code: string
  readonly language?: string | undefined
}) {
  const [isWhole, setWhole] = useState(false)
  // Only very long code is folded, because code in answers is meant to be read.
  const folded = isTooLong(code) ? fold(code, { lines: 40 }) : fold(code, { lines: 200, characters: 60_000 })
  const shown = isWhole ? code : folded.text
  const name = language === undefined || language.length > 40 ? undefined : language
  return (
    <div className="overflow-hidden rounded-xl border border-line bg-code">
      <div className="flex h-9 items-center justify-between pl-3 text-xs text-dim">
        <span>{name ?? words.message.code}</span>
        <CopyButton text={code} />
      </div>
      <CodeText
        code={shown}
        language={findGrammar(language)}
        label={words.message.codeIn(name)}
        className="bg-code [&>pre]:pt-0"
      />
      {folded.isFolded && !isWhole && <ShowAll lines={folded.lines} onShow={() => setWhole(true)} />}
    </div>
  )
})

import { type ReactNode, useState } from 'react'
import { pretty } from '../tool-calls/fields.ts'
import { classNames } from '../ui/class-names.ts'
import { words } from '../words/index.ts'
import { MediaView } from '../media/media-block.tsx'
import { CodeText } from '../code/code-text.tsx'
import { CopyButton } from '../code/copy-button.tsx'
import { fold, foldFront } from '../code/fold.ts'
import type { GrammarName } from '../code/languages.ts'
import { ShowAll } from '../code/show-all.tsx'
import { lexOnce } from '../markdown/lex.ts'
import { Markdown } from '../markdown/markdown.tsx'
import { parseAnsi } from '../tool-calls/ansi.ts'
import { type ToolCall, getOutputMedia, getOutputText } from '../tool-calls/call.ts'

/** A section of a body. */
export function Part({
  label,
  copied,
  children,
}: {
  readonly label?: string
  /** The text to copy. */
  readonly copied?: string
  readonly children: ReactNode
}) {
  return (
    <div className="min-w-0 border-line not-first:border-t">
      {label !== undefined && (
        <div className="flex h-8 items-center justify-between pr-1 pl-3 text-xs text-faint">
          <span>{label}</span>
          {copied ? <CopyButton text={copied} label={words.message.copyOutput} /> : null}
        </div>
      )}
      {children}
    </div>
  )
}

/** Text in a body. */
export function Words({
  children,
  className,
}: {
  readonly children: ReactNode
  readonly className?: string
}) {
  return <div className={classNames('px-3 py-2 text-sm [overflow-wrap:anywhere]', className)}>{children}</div>
}

/** Program output with its colours, wrapped, and folded to its end. */
export function PrintedOutput({ output, isBad }: { readonly output: string; readonly isBad?: boolean }) {
  const [isWhole, setWhole] = useState(false)
  const folded = foldFront(output, { lines: 24 })
  return (
    <>
      {folded.isFolded && !isWhole && <ShowAll lines={folded.lines} onShow={() => setWhole(true)} />}
      <pre
        className={classNames(
          'bg-code px-3 py-2 font-mono text-[0.8125rem] leading-5 [overflow-wrap:anywhere] whitespace-pre-wrap',
          isBad && 'text-bad',
        )}
      >
        {parseAnsi(isWhole ? output : folded.text).map(({ text, style }, index) =>
          style === '' ? (
            text
          ) : (
            <span key={index} className={style}>
              {text}
            </span>
          ),
        )}
      </pre>
    </>
  )
}

/** A file or a part of it, folded if it is long. */
export function Listing({
  code,
  language,
  numbers,
  label,
  lines = 30,
}: {
  readonly code: string
  readonly language?: GrammarName | undefined
  readonly numbers?: number | readonly (number | undefined)[] | undefined
  readonly label: string
  readonly lines?: number
}) {
  const [isWhole, setWhole] = useState(false)
  const folded = fold(code, { lines })
  const shown = isWhole ? code : folded.text
  const gutter = typeof numbers === 'object' && !isWhole ? numbers.slice(0, lines + 10) : numbers
  return (
    <>
      <CodeText
        code={shown}
        language={language}
        numbers={typeof gutter === 'object' ? gutter.slice(0, shown.split('\n').length) : gutter}
        label={label}
        className="bg-code"
      />
      {folded.isFolded && !isWhole && <ShowAll lines={folded.lines} onShow={() => setWhole(true)} />}
    </>
  )
}

/** Any value as JSON. */
export function Json({ value, label }: { readonly value: unknown; readonly label: string }) {
  return <Listing code={pretty(value)} language="json" label={label} />
}

/** Markdown, lexed once per owner. */
export function MarkdownPart({ owner, text }: { readonly owner: object; readonly text: string }) {
  return (
    <div className="px-3 py-2.5 text-[0.9375rem]">
      <Markdown tokens={lexOnce(owner, text)} text={text} />
    </div>
  )
}

/** The result of a tool without its own view: JSON, text or media. */
export function Output({ call }: { readonly call: ToolCall }) {
  if (!call.result) return null
  const output = getOutputText(call)
  const media = getOutputMedia(call)
  const json = asJson(output)
  if (output === '' && media.length === 0) return <Words className="text-faint">{words.tools.noOutput}</Words>
  return (
    <Part label={words.tools.result} copied={output}>
      {json !== undefined ? (
        <Json value={json} label={words.tools.result} />
      ) : (
        output !== '' && <PrintedOutput output={output} isBad={call.result.status === 'error'} />
      )}
      <Media call={call} />
    </Part>
  )
}

export function Media({ call }: { readonly call: ToolCall }) {
  const media = getOutputMedia(call)
  if (media.length === 0) return null
  return (
    <div className="flex flex-wrap gap-2 p-3">
      {media.map((block, index) => (
        <MediaView key={index} block={block} />
      ))}
    </div>
  )
}

function asJson(output: string): unknown {
  if (output.length > 200_000 || !/^\s*[[{]/.test(output)) return undefined
  try {
    return JSON.parse(output)
  } catch {
    return undefined
  }
}

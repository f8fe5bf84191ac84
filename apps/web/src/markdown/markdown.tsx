import type { Token, Tokens } from 'marked'
import { type ReactNode, memo } from 'react'
import { words } from '../words/index.ts'
import { CodeBlock } from '../code/code-block.tsx'
import { classNames } from '../ui/class-names.ts'
import { deepest, inline } from './inline.tsx'
import { PlainText } from './plain-text.tsx'

/** Lexed blocks. Unchanged blocks are not rendered again. */
export function Blocks({
  tokens,
  depth = 0,
}: {
  readonly tokens: readonly Token[]
  readonly depth?: number
}) {
  return (
    <div className={classNames('flex min-w-0 flex-col', depth === 0 ? 'gap-2.5' : 'gap-1.5')}>
      {tokens.map((token, index) =>
        isSilent(token) ? null : <Block key={index} token={token} depth={depth} />,
      )}
    </div>
  )
}

/** Markdown text; shown as source if it cannot be lexed. */
export function Markdown({
  tokens,
  text,
}: {
  readonly tokens: readonly Token[] | undefined
  readonly text: string
}) {
  return tokens ? <Blocks tokens={tokens} /> : <PlainText text={text} />
}

function isSilent(token: Token): boolean {
  return token.type === 'space' || token.type === 'def' || token.type === 'checkbox'
}

const headings = [
  'text-xl font-semibold',
  'text-lg font-semibold',
  'text-base font-semibold',
  'font-semibold',
  'font-semibold text-dim',
  'font-semibold text-dim',
]

const Block = memo(
  function Block({ token, depth }: { readonly token: Token; readonly depth: number }): ReactNode {
    if (depth > deepest)
      return (
        <p dir="auto" className="break-words whitespace-pre-wrap">
          {token.raw}
        </p>
      )
    switch (token.type) {
      case 'paragraph':
        return (
          <p dir="auto" className="break-words">
            {inline(token.tokens)}
          </p>
        )
      case 'text':
        return (
          <p dir="auto" className="break-words">
            {inline((token as Tokens.Text).tokens ?? [token])}
          </p>
        )
      case 'heading': {
        // Headings start below the page's own and skip no level.
        const { depth: level, tokens } = token as Tokens.Heading
        return (
          <h2 dir="auto" className={classNames('mt-1 break-words', headings[level - 1])}>
            {inline(tokens)}
          </h2>
        )
      }
      case 'code': {
        const { text, lang } = token as Tokens.Code
        return <CodeBlock code={text} language={lang?.trim().split(/[\s{,:]/)[0] || undefined} />
      }
      case 'blockquote':
        return (
          <blockquote className="border-l-2 border-line pl-3 text-dim">
            <Blocks tokens={token.tokens ?? []} depth={depth + 1} />
          </blockquote>
        )
      case 'list':
        return <List list={token as Tokens.List} depth={depth} />
      case 'table':
        return <Table table={token as Tokens.Table} />
      case 'hr':
        return <hr className="border-line" />
      default:
        return (
          <p dir="auto" className="break-words whitespace-pre-wrap">
            {token.raw.replace(/\n+$/, '')}
          </p>
        )
    }
  },
  (before, after) =>
    before.depth === after.depth &&
    (before.token === after.token ||
      (before.token.raw === after.token.raw && before.token.type === after.token.type)),
)

function List({ list, depth }: { readonly list: Tokens.List; readonly depth: number }) {
  const { ordered, start, items, loose } = list
  const gap = loose ? 'gap-2' : 'gap-1'
  const children = items.map((item, index) => <Item key={index} item={item} depth={depth} />)
  if (ordered)
    return (
      <ol
        start={start === '' ? 1 : start}
        className={`flex list-decimal flex-col pl-6 marker:text-dim ${gap}`}
      >
        {children}
      </ol>
    )
  return <ul className={`flex list-disc flex-col pl-5 marker:text-faint ${gap}`}>{children}</ul>
}

function Item({ item, depth }: { readonly item: Tokens.ListItem; readonly depth: number }) {
  const body = <ItemBody tokens={item.tokens} depth={depth} />
  if (!item.task)
    return (
      <li dir="auto" className="min-w-0 break-words">
        {body}
      </li>
    )
  return (
    <li className="-ml-5 flex min-w-0 list-none gap-2 break-words">
      <span
        role="img"
        aria-label={item.checked ? words.message.taskDone : words.message.taskOpen}
        className={classNames(
          'mt-[0.22em] flex size-4 shrink-0 items-center justify-center rounded border text-[0.7rem] leading-none font-bold',
          item.checked ? 'border-accent bg-accent text-on-accent' : 'border-faint',
        )}
      >
        {item.checked ? '✓' : null}
      </span>
      <div className="min-w-0 flex-1">{body}</div>
    </li>
  )
}

/** A single line of text needs no paragraph. */
function ItemBody({ tokens, depth }: { readonly tokens: readonly Token[]; readonly depth: number }) {
  const shown = tokens.filter((token) => !isSilent(token))
  const [first, ...rest] = shown
  if (!first) return null
  if (first.type !== 'text' && first.type !== 'paragraph') return <Blocks tokens={shown} depth={depth + 1} />
  const line = inline((first as Tokens.Text).tokens?.filter((token) => !isSilent(token)) ?? [first])
  if (rest.length === 0) return line
  return (
    <>
      {line}
      <div className="mt-1">
        <Blocks tokens={rest} depth={depth + 1} />
      </div>
    </>
  )
}

const sides = { left: 'text-left', right: 'text-right', center: 'text-center' }

function Table({ table }: { readonly table: Tokens.Table }) {
  const { header, rows } = table
  const side = (cell: Tokens.TableCell) => sides[cell.align ?? 'left']
  return (
    <div
      tabIndex={0}
      role="group"
      aria-label={words.message.table}
      className="overflow-x-auto overscroll-x-contain rounded-xl border border-line"
    >
      <table className="w-full border-collapse text-sm">
        <thead className="bg-sunken">
          <tr>
            {header.map((cell, index) => (
              <th key={index} className={`px-3 py-1.5 font-semibold ${side(cell)}`}>
                {inline(cell.tokens)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={index} className="border-t border-line align-top">
              {row.map((cell, column) => (
                <td key={column} className={`min-w-16 px-3 py-1.5 ${side(cell)}`}>
                  {inline(cell.tokens)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

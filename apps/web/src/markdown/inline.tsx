import type { Token, Tokens } from 'marked'
import type { ReactNode } from 'react'
import { decodeEntities } from './entities.ts'
import { toSafeLink } from './safe-link.ts'

/** Deeper nesting is shown as source. */
export const deepest = 12

/** Renders inline tokens to a fixed set of elements, never to HTML. */
export function inline(tokens: readonly Token[] | undefined, depth = 0): ReactNode {
  return tokens?.map((token, index) => one(token, index, depth))
}

// A function instead of a component, because an answer has many tokens.
function one(token: Token, key: number, depth: number): ReactNode {
  if (depth > deepest) return token.raw
  switch (token.type) {
    case 'text': {
      const { tokens, text } = token as Tokens.Text
      return tokens ? inline(tokens, depth + 1) : decodeEntities(text)
    }
    case 'escape':
      return (token as Tokens.Escape).text
    case 'strong':
      return (
        <strong key={key} className="font-semibold">
          {inline(token.tokens, depth + 1)}
        </strong>
      )
    case 'em':
      return <em key={key}>{inline(token.tokens, depth + 1)}</em>
    case 'del':
      return <del key={key}>{inline(token.tokens, depth + 1)}</del>
    case 'br':
      return <br key={key} />
    case 'codespan':
      return (
        <code key={key} className="rounded-md bg-sunken px-1 py-0.5 font-mono text-[0.86em] break-words">
          {(token as Tokens.Codespan).text}
        </code>
      )
    case 'link':
      return (
        <Linked key={key} href={(token as Tokens.Link).href}>
          {inline(token.tokens, depth + 1)}
        </Linked>
      )
    case 'image': {
      // A remote image would reveal the reader to its server, so it becomes a link.
      const { href, text } = token as Tokens.Image
      return (
        <Linked key={key} href={href}>
          {decodeEntities(text) || href}
        </Linked>
      )
    }
    case 'html':
      // The only HTML that is rendered, because it is common in tables.
      return /^<br\s*\/?>$/i.test(token.raw) ? <br key={key} /> : token.raw
    default:
      return token.raw
  }
}

/** A link for safe URLs, otherwise only its text. */
export function Linked({ href, children }: { readonly href: unknown; readonly children: ReactNode }) {
  const address = toSafeLink(href)
  if (address === undefined) return <span>{children}</span>
  return (
    <a
      href={address}
      target="_blank"
      rel="noopener noreferrer"
      className="break-words text-accent underline decoration-accent/40 underline-offset-2 hover:decoration-accent"
    >
      {children}
    </a>
  )
}

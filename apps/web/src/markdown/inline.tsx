import type { Token, Tokens } from 'marked'
import type { ReactNode } from 'react'

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

/** The URL if its scheme is safe to link to. @example toSafeLink('javascript:alert(1)') // undefined */
export function toSafeLink(href: unknown): string | undefined {
  if (typeof href !== 'string' || href.length > 4_000) return undefined
  // Parsed by the browser, because it ignores tabs and line breaks inside URLs.
  const url = parsed(href)
  return url && ['http:', 'https:', 'mailto:'].includes(url.protocol) ? url.href : undefined
}

function parsed(href: string): URL | undefined {
  try {
    return new URL(href)
  } catch {
    return undefined
  }
}

/** Common entities. The browser's own list would require parsing HTML. */
const named: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
  copy: '©',
  reg: '®',
  trade: '™',
  hellip: '…',
  mdash: '—',
  ndash: '–',
  lsquo: '‘',
  rsquo: '’',
  ldquo: '“',
  rdquo: '”',
  bull: '•',
  middot: '·',
  times: '×',
  divide: '÷',
  plusmn: '±',
  deg: '°',
  larr: '←',
  rarr: '→',
  uarr: '↑',
  darr: '↓',
  harr: '↔',
  rArr: '⇒',
  le: '≤',
  ge: '≥',
  ne: '≠',
  infin: '∞',
  sum: '∑',
  check: '✓',
  euro: '€',
  pound: '£',
  sect: '§',
  para: '¶',
}

/** @example decodeEntities('a &lt; b &#39;c&#x27;') // "a < b 'c'" */
export function decodeEntities(text: string): string {
  if (!text.includes('&')) return text
  return text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,8}));/gi, (whole, decimal, hex, name) => {
    if (typeof name === 'string') return Object.hasOwn(named, name) ? named[name]! : whole
    const code = typeof decimal === 'string' ? Number(decimal) : Number.parseInt(String(hex), 16)
    return code > 0 && code <= 0x10_ff_ff && !(code >= 0xd8_00 && code <= 0xdf_ff)
      ? String.fromCodePoint(code)
      : '\ufffd'
  })
}

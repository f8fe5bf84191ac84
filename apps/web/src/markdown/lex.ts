import { type Token, Lexer } from 'marked'

/** Longer texts are shown as source. */
export const markdownCharacters = 120_000

/** The blocks of a text; undefined if it should be shown as source. */
export function lex(text: string): readonly Token[] | undefined {
  if (text.length > markdownCharacters) return undefined
  try {
    return new Lexer({ gfm: true }).lex(text)
  } catch {
    // Extreme nesting can overflow the lexer.
    return undefined
  }
}

interface Lexed {
  readonly text: string
  readonly tokens: readonly Token[]
}

/**
 * Lexes a growing text: only its last block is lexed again, and earlier tokens keep their identity.
 *
 * @example const lexed = lexIncrementally(lexed, text)
 */
export function lexIncrementally(before: Lexed | undefined, text: string): Lexed | undefined {
  if (before?.text === text) return before
  if (before && text.startsWith(before.text)) {
    const firm = firmTokens(before.tokens)
    let from = 0
    for (const token of firm) from += token.raw.length
    const raw = firm.map((token) => token.raw).join('')
    // The lexer may change the source, for example tabs. Then it starts over.
    if (text.startsWith(raw)) {
      const rest = lex(text.slice(from))
      return rest && { text, tokens: [...firm, ...rest] }
    }
  }
  const tokens = lex(text)
  return tokens && { text, tokens }
}

/** All blocks but the last one with content. */
function firmTokens(tokens: readonly Token[]): readonly Token[] {
  let end = tokens.length
  while (end > 0 && tokens[end - 1]!.type === 'space') end--
  return tokens.slice(0, Math.max(0, end - 1))
}

const done = new WeakMap<object, readonly Token[] | undefined>()

/** Caches the blocks of an immutable owner, because rows are remounted while scrolling. */
export function lexOnce(owner: object, text: string): readonly Token[] | undefined {
  if (done.has(owner)) return done.get(owner)
  const tokens = lex(text)
  done.set(owner, tokens)
  return tokens
}

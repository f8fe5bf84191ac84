import { type Token, Lexer } from 'marked'

/** Longer texts are shown as they are. */
export const markdownCharacters = 120_000

/** The blocks of a text; undefined if it is better shown as it is. */
export function lex(text: string): readonly Token[] | undefined {
  if (text.length > markdownCharacters) return undefined
  try {
    return new Lexer({ gfm: true }).lex(text)
  } catch {
    // As of ten thousand quotes in each other.
    return undefined
  }
}

interface Lexed {
  readonly text: string
  readonly tokens: readonly Token[]
}

/**
 * Lexes a text that grows: only its last block is done again, and all before it stays the same object.
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
    // What was lexed may differ from what was said, as in tabs: then there is no place to go on from.
    if (text.startsWith(raw)) {
      const rest = lex(text.slice(from))
      return rest && { text, tokens: [...firm, ...rest] }
    }
  }
  const tokens = lex(text)
  return tokens && { text, tokens }
}

/** All but the last block that is more than space. */
function firmTokens(tokens: readonly Token[]): readonly Token[] {
  let end = tokens.length
  while (end > 0 && tokens[end - 1]!.type === 'space') end--
  return tokens.slice(0, Math.max(0, end - 1))
}

const done = new WeakMap<object, readonly Token[] | undefined>()

/** The blocks of a text that belongs to something that does not change; rows come and go as somebody scrolls. */
export function lexOnce(owner: object, text: string): readonly Token[] | undefined {
  if (done.has(owner)) return done.get(owner)
  const tokens = lex(text)
  done.set(owner, tokens)
  return tokens
}

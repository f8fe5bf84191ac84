// Chinese, Japanese and Korean characters and most emoji take two columns.
const wide =
  /[\u1100-\u115F\u2E80-\u303E\u3041-\uA4CF\uA960-\uA97F\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6\u{1F300}-\u{1FAFF}\u{20000}-\u{3FFFD}]|\p{Emoji_Presentation}/u
// These combine with the previous character.
const none = /[\p{Mn}\p{Me}\p{Cf}]/u
const plain = /^[\u0020-\u007E]*$/

/** The number of terminal columns of a text. @example textWidth('日本') // 4 */
export function textWidth(text: string): number {
  if (plain.test(text)) return text.length
  let width = 0
  for (const character of text) width += characterWidth(character)
  return width
}

/** Cuts a text to a number of columns. @example cutTo('a long title', 7) // 'a long…' */
export function cutTo(text: string, limit: number): string {
  if (textWidth(text) <= limit) return text
  let width = 0
  let cut = ''
  for (const character of text) {
    width += characterWidth(character)
    if (width > limit - 1) break
    cut += character
  }
  return limit < 1 ? '' : `${cut.trimEnd()}…`
}

/** Keeps the end of a text, which suits paths. @example cutStart('~/work/app', 6) // '…k/app' */
export function cutStart(text: string, limit: number): string {
  if (textWidth(text) <= limit) return text
  let width = 0
  let cut = ''
  for (const character of Array.from(text).reverse()) {
    width += characterWidth(character)
    if (width > limit - 1) break
    cut = character + cut
  }
  return limit < 1 ? '' : `…${cut}`
}

/** @example padTo('a', 3) // 'a  ' */
export function padTo(text: string, width: number, side: 'left' | 'right' = 'left'): string {
  const space = ' '.repeat(Math.max(0, width - textWidth(text)))
  return side === 'left' ? text + space : space + text
}

function characterWidth(character: string): number {
  return none.test(character) ? 0 : wide.test(character) ? 2 : 1
}

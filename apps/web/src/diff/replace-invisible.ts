/**
 * Replaces invisible and direction-changing characters with visible ones. Each becomes exactly one character, so
 * that positions stay valid.
 *
 * @example replaceInvisible('a\u202Eb') // 'a�b'
 */
export function replaceInvisible(text: string): string {
  // oxlint-disable-next-line no-control-regex
  return text.replaceAll(/[\u0000-\u0008\u000A-\u001F\u007F]/g, toSymbol).replaceAll(hidden, '\uFFFD')
}

const hidden = /[\u0080-\u009F\u200B\u200E\u200F\u202A-\u202E\u2060-\u2069\uFEFF]/g

/** Control characters have visible Unicode symbols. A carriage return at the end of a line is common and kept. */
function toSymbol(character: string, at: number, whole: string): string {
  if (character === '\r' && at === whole.length - 1) return '\r'
  const code = character.codePointAt(0)!
  return String.fromCodePoint(code === 0x7f ? 0x24_21 : 0x24_00 + code)
}

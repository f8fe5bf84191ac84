/** Quotes a word for a POSIX shell. @example shellWord("it's") // "'it'\\''s'" */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
}

/** @example shellLine(['gemini', '--resume', 'a b']) // "gemini --resume 'a b'" */
export function shellLine(words: readonly string[]): string {
  return words.map(shellWord).join(' ')
}

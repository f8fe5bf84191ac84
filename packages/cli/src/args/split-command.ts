/**
 * Splits a command line like a shell, with quotes and backslashes but without expansion. Undefined if a quote is not
 * closed.
 *
 * @example splitCommand('npx -y server "/my folder"') // ['npx', '-y', 'server', '/my folder']
 */
export function splitCommand(text: string): string[] | undefined {
  const words: string[] = []
  let word: string | undefined
  let quote = ''
  for (let index = 0; index < text.length; index++) {
    const character = text[index]!
    if (quote !== '') {
      if (character === quote) quote = ''
      else if (character === '\\' && quote === '"' && /["\\]/.test(text[index + 1] ?? ''))
        word += text[++index]!
      else word += character
    } else if (character === '"' || character === "'") {
      quote = character
      word ??= ''
    } else if (/\s/.test(character)) {
      if (word !== undefined) words.push(word)
      word = undefined
    } else {
      word = (word ?? '') + (character === '\\' && index + 1 < text.length ? text[++index]! : character)
    }
  }
  if (quote !== '') return undefined
  return word === undefined ? words : [...words, word]
}

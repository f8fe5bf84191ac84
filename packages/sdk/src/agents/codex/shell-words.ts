/** What the model asked for, without the shell that Codex puts around it. @example unwrap("/bin/bash -lc 'ls'") // 'ls' */
export function unwrap(command: string): string {
  return scriptIn(shellWords(command) ?? []) ?? command
}

/** A command that is given word by word, as a person would type it. @example typed(['bash', '-lc', 'ls']) // 'ls' */
export function typed(words: readonly string[]): string {
  return scriptIn(words) ?? words.map(quoted).join(' ')
}

function scriptIn([shell = '', flag = '', script, ...more]: readonly string[]): string | undefined {
  const wrapped = /(^|[/\\])(ba|z|da|k)?sh(\.exe)?$/.test(shell) && /^-l?c$/.test(flag)
  return wrapped && more.length === 0 ? script : undefined
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}

/** The words of a POSIX command line; undefined where a quotation has no end. */
function shellWords(line: string): string[] | undefined {
  const words: string[] = []
  let word: string | undefined
  for (let at = 0; at < line.length; at++) {
    const character = line[at]!
    if (/\s/.test(character)) {
      if (word !== undefined) words.push(word)
      word = undefined
      continue
    }
    word ??= ''
    if (character === "'") {
      const end = line.indexOf("'", at + 1)
      if (end === -1) return undefined
      word += line.slice(at + 1, end)
      at = end
    } else if (character === '"') {
      for (at++; line[at] !== '"'; at++) {
        if (at >= line.length) return undefined
        if (line[at] === '\\' && '$`"\\\n'.includes(line[at + 1] ?? ' ')) at++
        word += line[at] ?? ''
      }
    } else if (character === '\\') word += line[++at] ?? ''
    else word += character
  }
  return word === undefined ? words : [...words, word]
}

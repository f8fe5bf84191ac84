/** The command of the model, without the shell that Codex adds. @example unwrapShell("/bin/bash -lc 'ls'") // 'ls' */
export function unwrapShell(command: string): string {
  return getScript(splitCommand(command) ?? []) ?? command
}

/** A list of arguments as one command line. @example formatCommand(['bash', '-lc', 'ls']) // 'ls' */
export function formatCommand(args: readonly string[]): string {
  return getScript(args) ?? args.map(quote).join(' ')
}

function getScript([shell = '', flag = '', script, ...more]: readonly string[]): string | undefined {
  const wrapped = /(^|[/\\])(ba|z|da|k)?sh(\.exe)?$/.test(shell) && /^-l?c$/.test(flag)
  return wrapped && more.length === 0 ? script : undefined
}

function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}

/** Splits a POSIX command line; undefined where a quote is not closed. */
function splitCommand(line: string): string[] | undefined {
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

/**
 * One word for tmux's own parser, which reads what we write to a control client. Whatever the text holds (quotes, `;`,
 * `$`, `~`, line ends), it stays one word and means itself. NUL has no place in a word and is left out.
 *
 * @example word('a;b "c"\n') // "a\073b \042c\042\012"
 */
export function word(text: string): string {
  return `"${text.replaceAll(/\0/g, '').replaceAll(special, octal)}"`
}

/** One command. @example command(['send-keys', '-t', '%1', '-l', '--', text]) */
export function command(words: readonly string[]): string {
  return words.map(word).join(' ')
}

/** A name for a session: tmux takes it for a format, in which a shell command could stand, and changes `.` and `:`. */
export function sessionName(name: string): string {
  return name.replaceAll(/[^\w-]/g, '_').slice(0, 100) || 'remora'
}

// Everything that the parser could take for more than itself, and all control characters.
// oxlint-disable-next-line no-control-regex
const special = /[\u0000-\u001F"#$%;\\~{}'\u007F]/g

function octal(character: string): string {
  return `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`
}

/**
 * Quotes an argument for tmux's parser, which reads the input of a control client. Whatever the text contains (quotes, `;`,
 * `$`, `~`, line breaks), it stays one argument with the same text. NUL is not possible and left out.
 *
 * @example quoteArgument('a;b "c"\n') // "a\073b \042c\042\012"
 */
export function quoteArgument(text: string): string {
  return `"${text.replaceAll(/\0/g, '').replaceAll(special, toOctal)}"`
}

/** One command line. @example formatCommand(['send-keys', '-t', '%1', '-l', '--', text]) */
export function formatCommand(args: readonly string[]): string {
  return args.map(quoteArgument).join(' ')
}

/** A safe session name: tmux expands formats in it, which may contain shell commands, and changes `.` and `:`. */
export function toSessionName(name: string): string {
  return name.replaceAll(/[^\w-]/g, '_').slice(0, 100) || 'remora'
}

// Characters with a special meaning for the parser, and all control characters.
// oxlint-disable-next-line no-control-regex
const special = /[\u0000-\u001F"#$%;\\~{}'\u007F]/g

function toOctal(character: string): string {
  return `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`
}

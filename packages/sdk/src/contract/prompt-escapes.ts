import { type PromptKind, RemoraError } from '@remora/protocol/plain'

export { brailleBlank, wordJoiner } from '../events/event-maker.ts'

/** A pattern of prompts that a CLI would run as commands, and the prefix that makes them plain text. */
export interface PromptEscape {
  readonly kind: Exclude<PromptKind, 'text'>
  readonly pattern: RegExp
  /**
   * Put before such a text: a space if the CLI trims it, so that the model receives the exact text, or a word joiner,
   * which is invisible and never trimmed, if the CLI matches the trimmed text. Without a prefix the text is refused.
   */
  readonly prefix?: string
}

/** A slash after any number of spaces and invisible characters, which some CLIs remove before matching. */
export const leadingSlash = /^[\s\p{Cf}\p{DI}]*\//u
/** The same for the character that starts shell mode. */
export const leadingBang = /^[\s\p{Cf}\p{DI}]*!/u
/** Words that exit some CLIs. They may contain invisible characters anywhere. */
export const exitWord = new RegExp(
  `^\\s*(?:${['exit', 'quit', ':q!?', ':wq!?'].map((word) => word.replaceAll(/[^?]\??/g, '$&[\\p{Cf}\\p{DI}]*')).join('|')})\\s*$`.replaceAll(
    '\\s*',
    '[\\s\\p{Cf}\\p{DI}]*',
  ),
  'iu',
)

export interface PromptSyntax {
  readonly title: string
  readonly escapes: readonly PromptEscape[] | undefined
}

/**
 * Encodes a prompt so that the CLI treats it as the sender meant it: as plain text, or as a slash command. Shell commands
 * are returned without their exclamation mark.
 *
 * @example encodePrompt('/help me', 'text', { title: 'Claude Code', escapes }) // '\u2800/help me'
 */
export function encodePrompt(text: string, kind: PromptKind, { title, escapes = [] }: PromptSyntax): string {
  if (kind === 'text') return encodeText(text, title, escapes)
  if (!escapes.some((escape) => escape.kind === kind))
    throw new RemoraError('unsupported', `${title} takes no ${names[kind]} here`, {
      hint: 'Send it as text, or type it at the terminal of the agent.',
    })
  const words = text.trimStart()
  if (kind === 'slash') return words.startsWith('/') ? words : `/${words}`
  const command = words.replace(/^!/, '').trimStart()
  if (command.trim() === '') throw new RemoraError('input', 'The shell command is empty')
  return command
}

const names = { shell: 'shell commands', slash: 'slash commands' } as const

function encodeText(text: string, title: string, escapes: readonly PromptEscape[]): string {
  const escape = escapes.find(({ pattern }) => pattern.test(text))
  if (!escape) return text
  if (escape.prefix !== undefined) return `${escape.prefix}${text}`
  throw new RemoraError('unsupported', `${title} would run this text as a command`, {
    hint: `Start it with another character, or send it as a command: remora send … --${escape.kind}`,
  })
}

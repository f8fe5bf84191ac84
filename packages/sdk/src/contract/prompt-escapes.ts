import { type PromptKind, RemoraError } from '@remora/protocol/plain'

export { brailleBlank, wordJoiner } from '../events/event-maker.ts'

/** Prompts that a CLI would run as a command of its own, and what makes them plain text for its model. */
export interface PromptEscape {
  readonly kind: Exclude<PromptKind, 'text'>
  readonly pattern: RegExp
  /**
   * Goes before such a text. A space where the CLI trims it, so that the model receives the exact text; a word joiner,
   * which is invisible and never trimmed, where it looks at the trimmed text. Without a prefix the text is refused.
   */
  readonly prefix?: string
}

/** A slash after any number of spaces and invisible characters, which some CLIs remove before they look. */
export const leadingSlash = /^[\s\p{Cf}\p{DI}]*\//u
/** The same for the sign of the shell mode. */
export const leadingBang = /^[\s\p{Cf}\p{DI}]*!/u
/** Words that close some CLIs like the slash command. Invisible characters may be anywhere in them. */
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
 * The text to hand to a CLI so that it is what the sender meant: plain text, or a slash command. Shell commands come back
 * without their exclamation mark.
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

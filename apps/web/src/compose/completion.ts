import type { AgentInfo, CommandHint } from '@remora/protocol/api'

/** A command or file name that is being typed, and its position. */
export interface Token {
  readonly kind: 'command' | 'file'
  /** Without its leading character. */
  readonly typed: string
  readonly start: number
  readonly end: number
}

/** The token before the caret, if it starts a command or file name. @example tokenAt('/com', 4) */
export function tokenAt(text: string, caret: number): Token | undefined {
  const before = text.slice(0, caret)
  // Slash commands are only valid at the start.
  if (/^\/[^\n]{0,60}$/.test(before)) return { kind: 'command', typed: before.slice(1), start: 0, end: caret }
  const [, typed] = /(?:^|[\s([{"'`])@([^\s@"'`]{0,200})$/.exec(before) ?? []
  if (typed === undefined) return undefined
  return { kind: 'file', typed, start: caret - typed.length - 1, end: caret }
}

/** Replaces the token with the name. Returns the text and the new caret position. */
export function insertAt(
  text: string,
  { start, end }: Pick<Token, 'start' | 'end'>,
  words: string,
): { readonly text: string; readonly caret: number } {
  const rest = text.slice(end)
  // Avoids two spaces after the name.
  const inserted = words.endsWith(' ') && /^\s/.test(rest) ? words.slice(0, -1) : words
  const moved = words.endsWith(' ') && inserted !== words ? 1 : 0
  return { text: text.slice(0, start) + inserted + rest, caret: start + inserted.length + moved }
}

/** A file mention in the syntax of an agent. A folder stays open, to complete a file in it. */
export function formatMention(mention: AgentInfo['mention'], path: string, isFolder = false): string {
  if (isFolder) return `@${path}/`
  if (!/\s/.test(path)) return `@${path} `
  return mention === 'backslashes' ? `@${path.replaceAll(/([\s\\])/g, '\\$1')} ` : `@"${path}" `
}

/** The matching commands, with prefix matches first. */
export function filterCommands(commands: readonly CommandHint[], typed: string): CommandHint[] {
  const wanted = typed.toLowerCase()
  const rank = ({ name, description = '' }: CommandHint): number => {
    const low = name.toLowerCase()
    if (low.startsWith(wanted)) return 0
    if (low.split(/[\s:/-]/).some((part) => part.startsWith(wanted))) return 1
    if (low.includes(wanted)) return 2
    return wanted.length > 2 && description.toLowerCase().includes(wanted) ? 3 : 4
  }
  return commands
    .map((command) => ({ command, rank: rank(command) }))
    .filter((each) => each.rank < 4)
    .toSorted((left, right) => left.rank - right.rank)
    .map(({ command }) => command)
}

/**
 * The known slash command at the start of a text. Any other text is sent as text.
 *
 * @example findCommand('/compact now', commands)?.name // 'compact'
 */
export function findCommand(text: string, commands: readonly CommandHint[]): CommandHint | undefined {
  const [, typed] = /^\/(\S+)/.exec(text) ?? []
  // Text after the first word may be arguments.
  return typed === undefined ? undefined : commands.find(({ name }) => name.split(' ', 1)[0] === typed)
}

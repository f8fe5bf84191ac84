import type { CommandHint } from '@remora/protocol/api'

/** What somebody is about to name: a command or a file, and where in the text. */
export interface Token {
  readonly kind: 'command' | 'file'
  /** Without its sign. */
  readonly typed: string
  readonly start: number
  readonly end: number
}

/** What stands before the caret, if it is the beginning of a name. @example tokenAt('/com', 4) */
export function tokenAt(text: string, caret: number): Token | undefined {
  const before = text.slice(0, caret)
  // A command is one only at the very beginning.
  if (/^\/[^\n]{0,60}$/.test(before)) return { kind: 'command', typed: before.slice(1), start: 0, end: caret }
  const [, typed] = /(?:^|[\s([{"'`])@([^\s@"'`]{0,200})$/.exec(before) ?? []
  if (typed === undefined) return undefined
  return { kind: 'file', typed, start: caret - typed.length - 1, end: caret }
}

/** The text with the name in the place of what was typed, and where the caret stands then. */
export function insertAt(
  text: string,
  { start, end }: Pick<Token, 'start' | 'end'>,
  words: string,
): { readonly text: string; readonly caret: number } {
  const rest = text.slice(end)
  // One space behind it is enough.
  const inserted = words.endsWith(' ') && /^\s/.test(rest) ? words.slice(0, -1) : words
  const moved = words.endsWith(' ') && inserted !== words ? 1 : 0
  return { text: text.slice(0, start) + inserted + rest, caret: start + inserted.length + moved }
}

/** A file as each agent takes it; a folder stays open, since somebody may want what is in it. */
export function formatMention(agent: string, path: string, isFolder = false): string {
  if (isFolder) return `@${path}/`
  if (!/\s/.test(path)) return `@${path} `
  return agent === 'gemini' ? `@${path.replaceAll(/([\s\\])/g, '\\$1')} ` : `@"${path}" `
}

/** Those that fit, the ones that begin so first. */
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
 * The slash command that a text runs, if it starts with one that the agent has. Every other text is sent as text.
 *
 * @example findCommand('/compact now', commands)?.name // 'compact'
 */
export function findCommand(text: string, commands: readonly CommandHint[]): CommandHint | undefined {
  const [, typed] = /^\/(\S+)/.exec(text) ?? []
  // What follows the first word may be its arguments.
  return typed === undefined ? undefined : commands.find(({ name }) => name.split(' ', 1)[0] === typed)
}

import { RemoraError } from '@remora/protocol/plain'
import { replaceMatches } from '../pave/hook.ts'
import { checkRegex } from './check-regex.ts'

/** The kinds of aliases. */
export const aliasKinds = ['tool', 'command', 'flag', 'literal', 'regex', 'recipe'] as const
/** What an alias replaces. */
export type AliasKind = (typeof aliasKinds)[number]

/** The user's replacement for something that agents try and that does not work. */
export interface Alias {
  readonly kind: AliasKind
  readonly from: string
  readonly to: string
  /** Only calls of this tool, by Claude's name or the agent's own. */
  readonly tool?: string
  /** Only this parameter of the call. */
  readonly param?: string
  /** The command that the flag or text belongs to. */
  readonly command?: string
  readonly agent?: string
  /** An explanation for the agent. */
  readonly message?: string
  readonly createdAt: string
}

const longestText = 4000
const texts = ['from', 'to', 'tool', 'param', 'command', 'agent', 'message', 'createdAt'] as const

/**
 * Validates and normalizes an alias that was typed or imported. Throws `usage` if it is invalid. An alias `kept` from
 * an earlier version may match its own result, which the hook can handle.
 *
 * @example checkAlias({ kind: 'flag', command: 'scp', from: 'r', to: 'R', createdAt }) // from '-r' to '-R'
 */
export function checkAlias(alias: Alias, { kept = false } = {}): Alias {
  const { kind } = alias
  const entries = texts.flatMap((name) => (alias[name] === undefined ? [] : [[name, alias[name]] as const]))
  for (const [name, value] of entries) {
    if (typeof value !== 'string') throw wrong(`"${name}" of an alias must be a text`)
    if (value.length > longestText)
      throw wrong(`"${name}" of an alias is longer than ${longestText} characters`)
    if (value.includes('\0')) throw wrong(`"${name}" of an alias holds a zero byte`)
  }
  if (!aliasKinds.includes(kind))
    throw wrong(`There are no aliases of the kind "${kind as string}"`, `One of: ${aliasKinds.join(', ')}`)
  const checked = kind === 'flag' ? { ...alias, from: flag(alias.from), to: flag(alias.to) } : alias
  const { from, to } = checked
  if (from.trim() === '') throw wrong('What an alias stands for cannot be empty')
  if (from === to) throw wrong(`"${from}" would stand for itself`)
  // A flag, a text or a match can be removed; a tool and a command cannot.
  if (to === '' && !['flag', 'literal', 'regex'].includes(kind))
    throw wrong(`"${from}" needs something that it stands for`)
  if (kind === 'flag' && !alias.command?.trim())
    throw wrong('A flag belongs to a command', 'Say which: remora alias --cmd scp --flag r,R')
  if (kind === 'command' && /[\s"'`$;&|<>()\\]/.test(from))
    throw wrong(`"${from}" is not one word`, 'A whole command is replaced by: remora alias --recipe')
  if (kind === 'flag' && /[\s"'`$;&|<>()\\]/.test(from)) throw wrong(`"${from}" is not a flag`)
  if (kind === 'regex') checkRegex(from)
  if (!kept && matchesItself(checked))
    throw wrong(
      `"${to}" holds what it replaces: "${from}" would be replaced in it again, with every call`,
      "An expression can leave out its own result: remora alias --cmd grep --regex '^grep(?! -n)' 'grep -n'",
    )
  return checked
}

/**
 * Whether an alias would change its own result again.
 *
 * @example matchesItself({ kind: 'command', from: 'grep', to: 'grep -n' }) // true
 */
export function matchesItself({ kind, from, to, command = '' }: Omit<Alias, 'createdAt'>): boolean {
  if (kind === 'tool') return false
  const result = kind === 'flag' ? `${command} ${to}` : kind === 'recipe' ? to.replaceAll('{args}', 'x') : to
  return replaceMatches(result, { kind, from, to, ...(kind === 'flag' ? { command } : {}) }) !== result
}

/** A flag as it is typed: a letter gets one dash, a word two. */
function flag(name: string): string {
  if (name === '' || name.startsWith('-')) return name
  return name.length === 1 ? `-${name}` : `--${name}`
}

function wrong(message: string, hint = 'See: remora alias --help'): RemoraError {
  return new RemoraError('usage', message, { hint })
}

/**
 * Whether two aliases replace the same thing, so that one overrides the other.
 *
 * @example aliases.find((each) => sameAlias(each, alias))
 */
export function sameAlias(one: Alias, other: Alias): boolean {
  return aliasKey(one) === aliasKey(other)
}

function aliasKey({ kind, from, tool = '', param = '', command = '', agent = '' }: Alias): string {
  return JSON.stringify([kind, from, tool, param, command, agent])
}

/**
 * Formats an alias for people.
 *
 * @example aliasText({ kind: 'flag', command: 'scp', from: '-r', to: '-R', createdAt }) // 'scp -r → scp -R'
 */
export function aliasText({ kind, from, to, command }: Alias): string {
  const [left, right] = kind === 'flag' ? [`${command} ${from}`, `${command} ${to}`.trimEnd()] : [from, to]
  return `${left} → ${right === '' ? '(nothing)' : right}`
}

/**
 * The command line that creates an alias.
 *
 * @example aliasCommand({ kind: 'command', from: 'pip', to: 'pip3' }) // 'remora alias pip pip3 --replace'
 */
export function aliasCommand(alias: Omit<Alias, 'createdAt'>): string {
  const { kind, from, to, tool, param, command, agent, message } = alias
  const words = ['remora', 'alias']
  if (kind === 'flag') words.push('--cmd', command ?? '', '--flag', `${from},${to}`)
  else {
    // Arguments after -- are not parsed as options.
    if (from.startsWith('-') || to.startsWith('-')) words.push('--')
    words.push(from, to)
  }
  const options: string[] = []
  if (kind === 'command') options.push('--replace')
  if (kind === 'recipe' || kind === 'regex') options.push(`--${kind}`)
  if (kind !== 'flag' && command !== undefined) options.push('--cmd', command)
  for (const [name, value] of Object.entries({ tool, param, agent, message }))
    if (value !== undefined) options.push(`--${name}`, value)
  const end = words.indexOf('--')
  const all = end < 0 ? [...words, ...options] : [...words.slice(0, end), ...options, ...words.slice(end)]
  return all.map(shellWord).join(' ')
}

/** Quotes a word for the shell. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`
}

import { type Alias, matchesItself } from '../alias/alias.ts'
import { getCommandLine } from '../classify/classify.ts'
import { shellWords } from '../pave/hook.ts'
import type { Recovery } from '../analysis/recoveries.ts'
import { similarity } from '../analysis/similar.ts'
import { getSessionKey } from '../analysis/tally.ts'

type NewAlias = Omit<Alias, 'createdAt'>

/** The minimum similarity of two names for which one session is enough evidence. */
const alikeNames = 0.6

/** Different names of one program on different machines. */
const pairs = new Set([
  'python python3',
  'python3 python',
  'py python3',
  'pip pip3',
  'pip3 pip',
  'node nodejs',
  'nodejs node',
  'docker-compose docker compose',
  'fd fdfind',
  'fdfind fd',
  'bat batcat',
  'vim vi',
  'make gmake',
  'sed gsed',
  'awk gawk',
])

/**
 * Derives the alias that most of these recoveries have in common. Another name for a command needs evidence: two
 * sessions, similar names, or a known pair of names.
 *
 * @example aliasFrom(recoveries) // { kind: 'command', from: 'pip', to: 'pip3' }
 */
export function aliasFrom(recoveries: readonly Recovery[]): NewAlias | undefined {
  const found = new Map<string, { readonly alias: NewAlias; readonly sessions: Set<string>; count: number }>()
  for (const recovery of recoveries) {
    const alias = recovery.tool === 'Bash' ? fromCommands(recovery) : fromPaths(recovery)
    // An alias that matches its own result would be refused.
    if (!alias || matchesItself(alias)) continue
    const key = JSON.stringify(alias)
    const known = found.get(key) ?? { alias, sessions: new Set(), count: 0 }
    known.count++
    known.sessions.add(getSessionKey(recovery))
    found.set(key, known)
  }
  return [...found.values()]
    .filter(({ alias, sessions }) => sessions.size > 1 || isPlain(alias))
    .sort((one, other) => other.count - one.count)[0]?.alias
}

/** Whether one session is enough evidence. */
function isPlain({ kind, from, to }: NewAlias): boolean {
  if (kind === 'literal' || to === '') return true
  if (kind === 'command')
    // The same command through another: npx tsc, python3 -m pip.
    return to.endsWith(` ${from}`) || pairs.has(`${from} ${to}`) || similarity(from, to) >= alikeNames
  const last = (words: string): string => words.replace(' {args}', '').split(' ').at(-1)!
  return similarity(last(from), last(to)) >= alikeNames
}

/** An alias from two command lines that differ in one command, by its name, a subcommand, a flag or a path. */
function fromCommands({ failure, success, class: kind }: Recovery): NewAlias | undefined {
  const [left, right] = [commandsIn(failure.input), commandsIn(success.input)]
  if (left.length === 0 || left.length !== right.length) return undefined
  const changed = left.flatMap((words, index) =>
    words.join('\0') === right[index]!.join('\0') ? [] : [[words, right[index]!] as const],
  )
  if (changed.length !== 1) return undefined
  const [before, after] = changed[0]!
  if (kind === 'missing-command') return nameAlias(before, after, failure.detail)
  if (before[0] !== after[0]) return undefined
  if (kind === 'wrong-argument') return argumentAlias(before, after)
  const [one, more] = differing(before, after)
  return one && !more && kind === 'wrong-path'
    ? pathAlias(one.from, one.to, { tool: 'Bash', param: 'command' })
    : undefined
}

function commandsIn(input: unknown): string[][] {
  const commands: string[][] = []
  for (const { text, command } of shellWords(getCommandLine(input) ?? ''))
    (commands[command] ??= []).push(text)
  return commands.filter(Boolean)
}

/** The same arguments after another command name. */
function nameAlias(
  before: readonly string[],
  after: readonly string[],
  missing: string | undefined,
): NewAlias | undefined {
  const [name, ...rest] = before
  if (name === undefined || (missing !== undefined && name !== missing)) return undefined
  const head = after.slice(0, after.length - rest.length)
  const same = rest.every((word, index) => word === after[head.length + index])
  return head.length > 0 && same ? { kind: 'command', from: name, to: head.join(' ') } : undefined
}

function argumentAlias(before: readonly string[], after: readonly string[]): NewAlias | undefined {
  const command = before[0]!
  const gone = before.filter((word) => !after.includes(word))
  if (after.length === before.length - 1 && gone.length === 1 && gone[0]!.startsWith('-'))
    return { kind: 'flag', command, from: gone[0]!, to: '' }
  const [one, more] = differing(before, after)
  if (!one || more) return undefined
  if (one.from.startsWith('-') && one.to.startsWith('-'))
    return { kind: 'flag', command, from: one.from, to: one.to }
  if (one.index !== 1 || one.from.startsWith('-') || one.to.startsWith('-')) return undefined
  return { kind: 'recipe', from: `${command} ${one.from}`, to: `${command} ${one.to} {args}` }
}

function differing(before: readonly string[], after: readonly string[]) {
  if (before.length !== after.length) return []
  return before.flatMap((from, index) => (from === after[index] ? [] : [{ index, from, to: after[index]! }]))
}

/** An alias from a path field that changed. */
function fromPaths({ changes, tool }: Recovery): NewAlias | undefined {
  const [one, more] = changes
  if (!one || more || one.from === null || one.to === null || !/path$/i.test(one.field)) return undefined
  return pathAlias(one.from, one.to, { tool, param: one.field })
}

/** The folders in which two paths to files of one name differ. */
function pathAlias(from: string, to: string, where: Partial<NewAlias>): NewAlias | undefined {
  const [left, right] = [from.split('/'), to.split('/')]
  if (left.at(-1) === '' || left.at(-1) !== right.at(-1)) return undefined
  while (left.length > 0 && right.length > 0 && left.at(-1) === right.at(-1)) {
    left.pop()
    right.pop()
  }
  const [old, now] = [left.join('/'), right.join('/')]
  // A shorter prefix occurs in too many other paths.
  return old.startsWith('/') && old.length > 3 && now !== ''
    ? { kind: 'literal', from: `${old}/`, to: `${now}/`, ...where }
    : undefined
}

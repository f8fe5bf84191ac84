import { isPlain } from './commands.ts'
import type { Question } from './question.ts'

/** The effect of a request in plan mode: it only reads, leaves plan mode, or could change something. */
export function rulePlan({ kind, call, command, host }: Question): 'read' | 'leave' | 'refuse' {
  if (host) return 'read'
  if (kind === 'switch_mode' || call.name === 'ExitPlanMode') return 'leave'
  if (kind === 'read' || kind === 'search' || kind === 'think') return 'read'
  return kind === 'execute' && command !== undefined && isReadOnly(command) ? 'read' : 'refuse'
}

/** Programs that only read with any arguments, or except with the listed ones. */
const readers: Readonly<Record<string, RegExp | undefined>> = {
  basename: undefined,
  cat: undefined,
  cut: undefined,
  df: undefined,
  diff: undefined,
  dirname: undefined,
  du: undefined,
  echo: undefined,
  find: /^-(?:exec|execdir|ok|okdir|delete|fls|fprint0?|fprintf|files0-from)$/,
  grep: undefined,
  head: undefined,
  ls: undefined,
  nl: undefined,
  pwd: undefined,
  realpath: undefined,
  stat: undefined,
  tail: undefined,
  wc: undefined,
  which: undefined,
}

/**
 * Whether a command is known to change nothing: one listed program without pipes, redirections or substitutions.
 *
 * @example isReadOnly('ls -la src') // true
 */
export function isReadOnly(command: string): boolean {
  const line = command.trim()
  // A variable may contain anything, and quotes may hide the meaning of a word.
  if (!isPlain(line) || /[$'"\\]/.test(line)) return false
  const [program = '', ...args] = line.split(/\s+/)
  if (!Object.hasOwn(readers, program)) return false
  const risky = readers[program]
  return !args.some((arg) => risky?.test(arg))
}

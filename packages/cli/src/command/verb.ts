import { UsageError } from './errors.ts'
import type { Io } from './io.ts'
import { nearest } from './nearest.ts'

/** A verb of the command. */
export interface Verb {
  readonly name: string
  readonly description: string
  readonly positionals?: readonly Positional[]
  readonly options: Readonly<Record<string, Option>>
  /** Name of the arguments after `--`. Without it they are positionals. */
  readonly rest?: string
  /** Examples at the end of the help. */
  readonly examples: readonly string[]
  /** Whether standard output is JSON (default: with --json). */
  printsJson?(input: Input): boolean
  run(input: Input, io: Io): Promise<number>
}

export interface Positional {
  readonly name: string
  readonly description: string
  readonly required?: boolean
  /** Whether it takes all remaining arguments. */
  readonly many?: boolean
}

export interface Option {
  readonly description: string
  readonly short?: string
  /** Name of its value. Without one it is a flag. */
  readonly value?: string
  readonly choices?: readonly string[]
  /** Whether its value is optional. */
  readonly optional?: boolean
  /** Whether it is repeatable; its values are in `lists`. */
  readonly many?: boolean
}

/** The parsed command line of a verb. */
export interface Input {
  readonly values: Readonly<Record<string, string | boolean | undefined>>
  /** The values of repeatable options, in order. */
  readonly lists: Readonly<Record<string, readonly string[]>>
  readonly positionals: readonly string[]
  /** The arguments after `--`, for a verb that passes them on. */
  readonly rest: readonly string[]
}

/** Options that every verb takes. */
export const commonOptions: Readonly<Record<string, Option>> = {
  color: {
    value: 'when',
    choices: ['auto', 'always', 'never'],
    description: 'Color the output: auto, always or never',
  },
  help: { short: 'h', description: 'Show this help' },
}

/** The groups of the help text, in its order. */
export const groups = ['Sessions', 'Live', 'Run', 'Insights', 'Agents', 'Server', 'Setup'] as const

interface VerbEntry {
  readonly summary: string
  /** The group that lists it in the help text. */
  readonly group?: (typeof groups)[number]
  /** The verb that it is a subcommand of. It also works by itself, as in earlier versions, but is not listed. */
  readonly parent?: string
  /** Whether it works only as a subcommand. */
  readonly nested?: true
  /** The current command line of a verb that earlier versions had. The earlier name still works, but is not listed. */
  readonly currentName?: string
  readonly load: () => Promise<Verb>
}

/** All verbs by name. */
export type VerbTable = Readonly<Record<string, VerbEntry>>

/** The subcommands of a verb, by name. */
export function listSubcommands(verbs: VerbTable, parent: string): [string, VerbEntry][] {
  return Object.entries(verbs).filter(([, entry]) => entry.parent === parent)
}

/** Finds the verb or subcommand of a command line, and its arguments. */
export async function findVerb(
  verbs: VerbTable,
  name: string,
  args: readonly string[],
): Promise<{ verb: Verb; args: readonly string[] }> {
  const entry = Object.hasOwn(verbs, name) ? verbs[name] : undefined
  if (entry && !entry.nested) {
    const sub = listSubcommands(verbs, name).find(([each]) => each === args[0])
    if (!sub) return { verb: await entry.load(), args }
    return { verb: { ...(await sub[1].load()), name: `${name} ${sub[0]}` }, args: args.slice(1) }
  }
  if (name.startsWith('-')) throw new UsageError(`Unknown option ${name}`, 'See: remora --help')
  const near = nearest(
    name,
    Object.keys(verbs).filter((each) => !verbs[each]!.nested),
  )
  throw new UsageError(
    `Unknown command "${name}"`,
    near ? `Did you mean: remora ${near}?` : 'See: remora --help',
  )
}

import type { Io } from './io.ts'

/** One verb of the command: data, and what it does. */
export interface Verb {
  readonly name: string
  readonly description: string
  readonly positionals?: readonly Positional[]
  readonly options: Readonly<Record<string, Option>>
  /** Lines to copy, shown at the end of its help. */
  readonly examples: readonly string[]
  run(input: Input, io: Io): Promise<number>
}

export interface Positional {
  readonly name: string
  readonly description: string
  readonly required?: boolean
  /** Whether it takes every word that is left. */
  readonly many?: boolean
}

export interface Option {
  readonly description: string
  readonly short?: string
  /** The name of its value; an option without one is a flag. */
  readonly value?: string
  readonly choices?: readonly string[]
}

/** What stands on the command line, checked against the verb. */
export interface Input {
  readonly values: Readonly<Record<string, string | boolean | undefined>>
  readonly positionals: readonly string[]
}

/** Options that every verb takes. */
export const commonOptions: Readonly<Record<string, Option>> = {
  color: {
    value: 'when',
    choices: ['auto', 'always', 'never'],
    description: 'Colour the output: auto, always or never',
  },
  help: { short: 'h', description: 'Show this help' },
}

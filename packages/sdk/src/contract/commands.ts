import type { Place } from './agent.ts'

/** Something that a person can say with a slash. */
export interface SlashCommand {
  /** Without the slash. @example 'git:commit' */
  readonly name: string
  readonly description?: string
  /** What may follow it. @example '[file]' */
  readonly hint?: string
  /** The CLI's own, or written by the user or for the project. */
  readonly from: 'agent' | 'user' | 'project'
}

/** Which slash commands the CLI knows on its terminal. */
export interface CommandsPart {
  /** Those of the CLI that answer in words; those that open a dialog of their own are of no use from afar. */
  readonly own: readonly SlashCommand[]
  /** Those that a person has written, found without starting the CLI. Never throws. */
  written(place: Place): Promise<SlashCommand[]>
}

import type { Place } from './agent.ts'

/** A slash command. */
export interface SlashCommand {
  /** The name without the slash. @example 'git:commit' */
  readonly name: string
  readonly description?: string
  /** The arguments. @example '[file]' */
  readonly hint?: string
  /** Built into the CLI, or written by the user or for the project. */
  readonly from: 'agent' | 'user' | 'project'
}

/** The slash commands of the CLI's terminal. */
export interface CommandsPart {
  /** Built-in commands that answer with text. Commands that open a dialog are left out, since they cannot be used remotely. */
  readonly own: readonly SlashCommand[]
  /** Finds the user's and the project's commands without starting the CLI. Never throws. */
  written(place: Place): Promise<SlashCommand[]>
}

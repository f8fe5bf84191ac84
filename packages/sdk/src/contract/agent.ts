import { type Channel, channels } from '@remora/protocol/plain'
import type { AcpPart } from './acp.ts'
import type { HeadlessPart } from './headless.ts'
import type { HooksPart } from './hooks.ts'
import type { Mode, StartMode } from './modes.ts'
import type { TerminalPart } from './terminal.ts'
import type { ToolTable } from './tools.ts'
import type { TranscriptsPart } from './transcripts.ts'

export type * from './acp.ts'
export type * from './headless.ts'
export type * from './hooks.ts'
export type * from './terminal.ts'
export type * from './tools.ts'
export type * from './transcripts.ts'
export { modes } from './modes.ts'
export type { Mode, StartMode } from './modes.ts'
export type { PromptEscape } from './prompt-escapes.ts'

/** One supported CLI. An optional part that is present is a capability. */
export interface Agent {
  readonly id: string
  readonly title: string
  readonly detection: Detection
  readonly features: (version: string | undefined) => Features
  readonly headless?: HeadlessPart
  readonly acp?: AcpPart
  readonly hooks?: HooksPart
  readonly transcripts?: TranscriptsPart
  readonly terminal?: TerminalPart
  /**
   * The mode in which a session starts if the caller requests `wanted` or no mode: the asking mode, unless the user's
   * configuration of the CLI sets another. Without this function it is always the asking mode.
   */
  readonly startMode?: (place: Place, wanted?: Mode) => Promise<StartMode>
  /** Finds problems that would stop a user of this CLI, without starting it. */
  readonly health?: (place: Place) => Promise<Problem[]>
  readonly tools?: ToolTable
  readonly commands?: CommandsPart
  /** The context window of a model in this CLI, in tokens; undefined if it is not certain. */
  readonly getContextWindow?: (model: string) => number | undefined
}

/** How to find the executable, and how to install it. */
export interface Detection {
  /** The environment variable with the path of the executable. It overrides every search. */
  readonly variable: string
  readonly command: string
  /** The npm package whose package.json has the version, so that the CLI need not be started. */
  readonly package?: string
  /** The oldest supported version. */
  readonly minimum?: string
  /** The command that installs it. */
  readonly install: string
  /** More folders used by its installer; `~` and `*` are expanded. */
  readonly folders?: readonly string[]
}

/** The user's environment, passed in so that no agent reads the real one. */
export interface Place {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly home: string
  readonly cwd: string
  readonly version?: string | undefined
}

export interface Problem {
  readonly code: string
  readonly message: string
  readonly hint: string
}

/** Additions to a command line that make plan mode read-only. */
export type PlanGuard = Partial<Pick<Invocation, 'args' | 'env'>>

/** The arguments, environment and input of a process. */
export interface Invocation {
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly stdin?: string
}

export interface Model {
  readonly id: string
  readonly name: string
  /** Short names that stand for it. */
  readonly aliases?: readonly string[]
}

/** What a version of the CLI can do, apart from what the agent's parts say. */
export interface Features {
  readonly permissionModes: readonly Mode[]
  readonly interrupt: boolean
  readonly resume: boolean
  readonly fork: boolean
  readonly attach: boolean
  readonly statusLine: boolean
  readonly images: boolean
  readonly streaming: boolean
  readonly webSearch: boolean
  readonly thinking: boolean
  readonly slashCommands: boolean
  readonly models: readonly Model[]
  readonly effortLevels: readonly string[]
  readonly contextWindow?: number
}

/** `Features` and what follows from the agent's parts. */
export interface Capabilities extends Features {
  readonly channels: readonly Channel[]
  readonly planMode: boolean
  readonly permissionModeSwitch: 'cycle' | 'toggle' | 'none'
}

/** Declares an agent and checks its type. @example export const gemini = defineAgent({ id: 'gemini', … }) */
export function defineAgent<const A extends Agent>(agent: A): A {
  return agent
}

/**
 * Lists what a version of an agent can do: its features, and what follows from its parts.
 *
 * @example capabilities(gemini, '0.27.4').planMode // false
 */
export function capabilities(agent: Agent, version?: string): Capabilities {
  const features = agent.features(version)
  return {
    ...features,
    channels: channels.filter((channel) => agent[channel] !== undefined),
    planMode: features.permissionModes.includes('plan'),
    permissionModeSwitch: agent.terminal?.modeSwitch ?? 'none',
  }
}

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

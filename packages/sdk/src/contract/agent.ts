import {
  type Channel,
  type ModeInfo,
  channels,
  findMode,
  getModeName,
  toModeLike,
} from '@remora/protocol/plain'
import type { AcpPart } from './acp.ts'
import type { HeadlessPart } from './headless.ts'
import type { HooksPart } from './hooks.ts'
import { type AgentMode, type Mode, type StartMode, listModes } from './modes.ts'
import type { Profile } from './profile.ts'
import type { PavePart, SettingsPart } from './settings.ts'
import type { TerminalPart } from './terminal.ts'
import type { TestedRanges } from './tested.ts'
import type { TestkitPart } from './testkit.ts'
import type { ToolTable } from './tools.ts'
import type { TranscriptsPart } from './transcripts.ts'

export type * from './acp.ts'
export type * from './headless.ts'
export type * from './hooks.ts'
export type { Brand, Icon, Profile } from './profile.ts'
export type { PavePart, SettingEdit, SettingsPart } from './settings.ts'
export type * from './terminal.ts'
export type * from './tested.ts'
export type * from './testkit.ts'
export type * from './tools.ts'
export type * from './transcripts.ts'
export { modes } from './modes.ts'
export type { AgentMode, Mode, StartMode } from './modes.ts'
export type { PromptEscape } from './prompt-escapes.ts'

/** One supported CLI. An optional part that is present is a capability. */
export interface Agent extends Profile {
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
  /** The versions on which Remora tests it, by channel. Without it no version counts as tested. */
  readonly tested?: TestedRanges
  /** How to try it offline. Without this part it is not tested. */
  readonly testkit?: TestkitPart
  readonly commands?: CommandsPart
  /** Settings that prevent failed calls, for suggestions to the user. */
  readonly settings?: SettingsPart
  /** Whether its hooks can correct calls, and how they answer. */
  readonly pave?: PavePart
  /** Arguments that restrict `plan` mode further, for a reviewer that must not be able to change anything. */
  readonly reviewArguments?: readonly string[]
  /** Names of its files that contain credentials, in addition to the usual ones. */
  readonly secretFiles?: RegExp
  /** The context window of a model in this CLI, in tokens; undefined if it is not certain. */
  readonly getContextWindow?: (model: string) => number | undefined
}

/** How to find the executable, and how to install it. */
export interface Detection {
  /** The environment variable with the path of the executable. It overrides every search. */
  readonly variable: string
  /** A command in PATH or the install folders, or an absolute path. */
  readonly command: string
  /** The npm package whose package.json has the version, so that the CLI need not be started. */
  readonly package?: string
  /** Whether the command does not reveal the version of the agent, so that none is read. */
  readonly unversioned?: true
  /** The oldest supported version. */
  readonly minimum?: string
  /** The oldest Node.js version that runs its npm package; any version by default. */
  readonly minimumNode?: string
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

/** A problem of a CLI's installation or settings, and how to fix it. */
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

/** A model that a CLI offers. */
export interface Model {
  readonly id: string
  readonly name: string
  /** Short names that stand for it. */
  readonly aliases?: readonly string[]
}

/** What a version of the CLI can do, apart from what the agent's parts say. */
export interface Features {
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
  readonly modes: readonly ModeInfo[]
  /** The names of the main modes among them. */
  readonly permissionModes: readonly string[]
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
  const modes = listModes(agent, version)
  return {
    ...features,
    channels: channels.filter((channel) => agent[channel] !== undefined),
    modes: modes.map(toModeInfo),
    permissionModes: modes.map((mode) => getModeName(modes, mode)).filter((name) => toModeLike(name)),
    planMode: findMode(modes, 'plan') !== undefined,
    permissionModeSwitch: agent.terminal?.modeSwitch ?? 'none',
  }
}

/** What clients get of a mode, without its command lines. @example gemini.modes.map(toModeInfo) */
export function toModeInfo({ id, label, like, aliases, asks }: AgentMode): ModeInfo {
  return {
    id,
    label,
    ...(like === undefined ? {} : { like }),
    ...(aliases === undefined ? {} : { aliases }),
    ...(asks === undefined ? {} : { asks }),
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

import {
  type Channel,
  channels,
  type Event,
  type EventRecord,
  type MediaKind,
  type ToolStatus,
  type Usage,
} from '@remora/protocol/plain'
import type { Failure } from '../events/classify-error.ts'
import type { EventMaker } from '../events/event-maker.ts'
import type { AcpPart } from './acp.ts'
import type { CommandsPart } from './commands.ts'
import type { HooksPart } from './hooks.ts'
import type { TerminalPart } from './terminal.ts'
import type { PromptEscape } from './prompt-escapes.ts'
import type { AgentRecord } from '../events/read-record.ts'

export type * from './acp.ts'
export type * from './commands.ts'
export type * from './hooks.ts'
export type * from './terminal.ts'
export type { PromptEscape } from './prompt-escapes.ts'

/** What one CLI is. Every part but the first four is optional, and its presence is the capability. */
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
   * The mode that a session starts in if the caller wants `wanted` or none: the asking mode, unless the user's own
   * configuration of the CLI sets another. A CLI without it starts in its asking mode.
   */
  readonly startMode?: (place: Place, wanted?: Mode) => Promise<StartMode>
  /** What would stop a user of this CLI, found without starting it. */
  readonly health?: (place: Place) => Promise<Problem[]>
  /** The tools that it brings along, by its own names. */
  readonly tools?: readonly string[]
  readonly commands?: CommandsPart
  /** How many tokens a model holds in this CLI; undefined where that is not certain. */
  readonly contextOf?: (model: string) => number | undefined
}

/** How to find the executable, and what to tell a person who has not got it. */
export interface Detection {
  /** The agent's own variable, which beats every search. */
  readonly variable: string
  readonly command: string
  /** The npm package whose package.json tells the version without starting the CLI. */
  readonly package?: string
  /** Below this the CLI is reported as too old. */
  readonly minimum?: string
  /** The command that installs it. */
  readonly install: string
  /** More folders in which its own installer puts it; `~` and `*` are expanded. */
  readonly folders?: readonly string[]
}

/** A user's surroundings, passed in so that nothing below reads the real ones. */
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

/** What a command line gets so that plan mode is read-only. */
export type PlanGuard = Partial<Pick<Invocation, 'args' | 'env'>>

/** A command line, ready to be started. */
export interface Invocation {
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly stdin?: string
}

/**
 * What an agent may do without a person's decision: `default` asks, `acceptEdits` edits files, `plan` only reads, `auto` lets a
 * model decide about each call, `bypassPermissions` runs everything.
 */
export const modes = ['default', 'acceptEdits', 'plan', 'auto', 'bypassPermissions'] as const
export type Mode = (typeof modes)[number]

/** How a CLI is started if the caller chooses no mode, or chooses one that depends on the user's configuration. */
export interface StartMode {
  /** The mode that it starts in: one of ours, or the CLI's own name of another. */
  readonly mode: string
  /** The mode to request on the command line; the CLI's own configuration decides where it is left out. */
  readonly request?: Mode
  readonly env?: Readonly<Record<string, string>>
}

/** What one headless run may ask for. */
export interface HeadlessRequest {
  readonly prompt: string
  readonly mode?: Mode
  readonly model?: string
  readonly effort?: string
  readonly sessionId?: string
  readonly resume?: string
  readonly fork?: boolean
  readonly systemPrompt?: string
  readonly media?: readonly MediaFile[]
  readonly mcpServers?: Readonly<Record<string, McpServer>>
  /** Rules of the CLI's own kind for tools that run without being asked about. */
  readonly allow?: readonly string[]
  readonly skipTrust?: boolean
  readonly extraArgs?: readonly string[]
}

/** A file that goes with a prompt. */
export interface MediaFile {
  readonly path: string
  readonly kind: MediaKind
  readonly mediaType: string
}

export type McpServer =
  | {
      readonly command: string
      readonly args?: readonly string[]
      readonly env?: Readonly<Record<string, string>>
    }
  | { readonly url: string; readonly headers?: Readonly<Record<string, string>> }

export interface HeadlessPart {
  /** The command line of one run. Throws `unsupported`, naming the option, where the version lacks it. */
  invocation(request: HeadlessRequest, version: string | undefined): Invocation
  /** Puts on disk what one run needs before it starts, and takes it away when it has ended. */
  prepare?(request: HeadlessRequest, place: Place): Promise<Prepared>
  /** Reads what one run says. */
  reader?(maker: EventMaker, request: HeadlessRequest): HeadlessReader
  /** Prompts that it would run as commands. */
  readonly escapes?: readonly PromptEscape[]
  /** How shell commands of a session ended, by the agent's own files, where its output does not say. */
  shellStatuses?(
    place: Place,
    session: string,
    calls: readonly string[],
  ): Promise<ReadonlyMap<string, ToolStatus>>
  /** The variable that holds the API key, for runs that have several. */
  readonly keyVariable?: string
}

export interface Prepared {
  /** The request as the command line shall see it. */
  readonly request: HeadlessRequest
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** Cleans up, whatever happened, and tells what a person should know of it. */
  finish(): Promise<Problem[]>
}

export interface HeadlessReader {
  /** One line of standard output. Never throws: what it does not know becomes `unknown`. */
  read(line: string): Event[]
  /** One line of standard error. Most give nothing. */
  readError?(line: string): Event[]
  /** Why to end a CLI that would go on without end, if that is so now. */
  surrender?(): Failure | undefined
  /** How the run ended, as far as its output tells. */
  end(exit: { readonly code: number | null; readonly signal: string | null }, stderr: string): Outcome
}

/** What a CLI says of a whole run. */
export interface Outcome {
  readonly ok: boolean
  readonly failure?: Failure
  readonly stopReason?: string
  readonly apiDurationMs?: number
  readonly turns?: number
  readonly costUsd?: number
  readonly permissionDenials?: readonly unknown[]
}

export interface TranscriptsPart {
  /** The folder below which the CLI keeps its sessions. */
  root(place: Place): string
  /** Another folder, into which the CLI moves sessions that a person puts aside; paths are relative to the root too. */
  aside?(place: Place): string
  /** Whether a file below the root is a session, or a part of one. */
  isSession(relativePath: string): boolean
  /** How a file is kept: one record a line, one document, or a database of many sessions. */
  format(path: string): TranscriptFormat
  /** Whether a file that lies anywhere is one of this agent's, by its first record or, for a database, its tables. */
  recognises(record: AgentRecord): boolean
  /** Reads the records of one file of lines, or the one record of a document. */
  reader?(maker: EventMaker, file: TranscriptFile): TranscriptReader
  /** Reads what a database holds. */
  readonly database?: DatabasePart
  /**
   * A short cut for lists of sessions, which need of most lines nothing or little. None for files that need the
   * reader in any case.
   */
  glance?(path: string): Glance | undefined
  /** Files that may be parts of the session in `main`, although they do not bear its id. */
  parts?(files: readonly string[], main: string): string[]
  /** Whether a file is of a project, for files that do not tell their folder otherwise. */
  belongs?(path: string, cwd: string): boolean
  /** The command by which a person goes on with a session in a terminal. */
  resume(session: string): Invocation
  /** What the CLI is set to delete by itself, and how that is switched off; undefined where nothing is. */
  guard?(place: Place): Promise<Guard | undefined>
  /** The setting as `guard` leaves it, where it is so, whoever set it. */
  guarded?(place: Place): Promise<Pick<Guard, 'file' | 'change'> | undefined>
  /** Protects a session that is about to be resumed from what the CLI would do to it. */
  protect?(place: Place, session: string, options: ProtectOptions): Promise<ProtectedResume>
  /** What to write so that the CLI has a session again which it has lost, from what it had told of it. */
  restore?(place: Place, session: LostSession): Promise<Restoration>
}

/** A change of a CLI's settings that keeps it from deleting sessions. */
export interface Guard {
  readonly problem: Problem
  readonly file: string
  /** The change in a few words. @example 'general.sessionRetention.enabled: false' */
  readonly change: string
  /** Where the changed value is in the file, and what it becomes. */
  readonly setting: readonly string[]
  readonly value: unknown
  apply(): Promise<void>
}

/** How a session is resumed: by a headless run, on a terminal, or by an ACP client. */
export type ResumeWay = 'headless' | 'terminal' | 'acp'

export interface ProtectOptions {
  readonly way: ResumeWay
  readonly signal?: AbortSignal | undefined
}

export interface ProtectedResume {
  /** The session by its id, where it was named otherwise. */
  readonly id: string
  /** To be called when the CLI has ended; tells what a person should know. */
  finish(): Promise<Problem[]>
}

/** A session as it was told by its transcripts, in order. */
export interface LostSession {
  readonly session: string
  /** The folder it worked in, where that is known. */
  readonly cwd?: string | undefined
  readonly events: readonly Event[]
}

export interface Restoration {
  readonly files: readonly { readonly path: string; readonly text: string }[]
  /** Files of the session that the CLI cannot use any more. They are kept, under another name. */
  readonly damaged: readonly string[]
  /** A file that still holds the session: then there is nothing to restore. */
  readonly intact?: string
  /** The folder in which the CLI will find it. */
  readonly cwd?: string
}

export interface Glance {
  /** Whether a line says nothing to a list, by how it begins: it need not even be parsed. */
  skips(beginning: string): boolean
  /** What a list shows of a line that is an answer of the model, without parsing it; undefined where that is not plain. */
  answer(line: Buffer, beginning: string): Answered | undefined
  /** The same of a record. */
  answerIn?(record: AgentRecord): Answered | undefined
}

/** What a list of sessions shows of an answer. */
export interface Answered {
  /** The entity of its message, and of what it cost. */
  readonly entity: string
  readonly at: number
  readonly model?: string
  readonly usage?: Usage
}

export type TranscriptFormat = 'lines' | 'document' | 'database'

export interface TranscriptFile {
  readonly path: string
  /** What the reader remembered when it stopped in this file, if it goes on from there. */
  readonly state?: unknown
}

export interface TranscriptReader {
  /**
   * The events of one record; undefined for a record it does not know. The maker has begun the record already, with a
   * key and digest of its place. Never throws. The first event of a record carries it as `raw`.
   */
  read(record: AgentRecord): Event[] | undefined
  /** What it must remember to go on later, as JSON: small, whatever the size of the file. */
  state(): unknown
  /** Whether it still finds the order of records by their links, and so must be given every record. */
  needsEveryRecord?(): boolean
  /** Whether events wait for a record that has not come yet. */
  isWaiting?(): boolean
  /** Gives these events without it: called at the end of a file that nothing is written to any more. */
  flush?(): Event[]
}

/** A database that is open for reading; rows are plain records. */
export interface DatabaseRows {
  rows(sql: string, ...parameters: readonly (string | number)[]): Iterable<AgentRecord>
}

export interface DatabasePart {
  /** The sessions that are there now. */
  sessions(database: DatabaseRows): Iterable<DatabaseSession>
  /**
   * What changed since a state that an earlier reading gave, in pieces of bounded size; of one session only, if one is
   * given.
   */
  read(
    database: DatabaseRows,
    maker: EventMaker,
    since: unknown,
    session?: string,
  ): Iterable<{ readonly records: readonly EventRecord[]; readonly state: unknown }>
}

export interface DatabaseSession {
  readonly id: string
  readonly cwd?: string
  readonly updatedAt?: number
}

export interface Model {
  readonly id: string
  readonly name: string
  /** Short names that stand for it. */
  readonly aliases?: readonly string[]
}

/** What a version of the CLI can do, as far as no part of the agent decides it. */
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

/** `Features` and what the agent's parts add to it. */
export interface Capabilities extends Features {
  readonly channels: readonly Channel[]
  readonly planMode: boolean
  readonly permissionModeSwitch: 'cycle' | 'toggle' | 'none'
}

/** Declares an agent; the type does the work. @example export const gemini = defineAgent({ id: 'gemini', … }) */
export function defineAgent<const A extends Agent>(agent: A): A {
  return agent
}

/** A tool call in Claude's words, in which every agent's calls are told. */
export interface ClaudeCall {
  readonly name: string
  readonly input: unknown
}

/**
 * What a version of an agent can do: its features, and what its parts decide.
 *
 * @example capabilities(gemini, '0.27.4').planMode // false
 */
export function capabilities(agent: Agent, version?: string): Capabilities {
  const features = agent.features(version)
  return {
    ...features,
    channels: channels.filter((channel: Channel) => agent[channel] !== undefined),
    planMode: features.permissionModes.includes('plan'),
    permissionModeSwitch: agent.terminal?.modeSwitch ?? 'none',
  }
}

import type { Event, MediaKind, ToolStatus, Usage } from '@remora/protocol/plain'
import type { Failure } from '../events/classify-error.ts'
import type { EventMaker } from '../events/event-maker.ts'
import type { Invocation, Place, Problem } from './agent.ts'
import type { Mode } from './modes.ts'
import type { PromptEscape } from './prompt-escapes.ts'

/** How an agent runs one prompt and exits, and what its output means. */
export interface HeadlessPart {
  /** The command line of one run. Throws `unsupported` with the option's name if the version lacks it. */
  invocation(request: HeadlessRequest, version: string | undefined): Invocation
  /** Writes the files that a run needs before it starts; `finish` removes them. */
  prepare?(request: HeadlessRequest, place: Place): Promise<Prepared>
  /** Reads the output of one run. */
  reader?(maker: EventMaker, request: HeadlessRequest): HeadlessReader
  /** Prompts that the CLI would run as commands. */
  readonly escapes?: readonly PromptEscape[]
  /** Exit statuses of shell commands from the agent's own files, for agents whose output does not have them. */
  shellStatuses?(
    place: Place,
    session: string,
    calls: readonly string[],
  ): Promise<ReadonlyMap<string, ToolStatus>>
  /** The tokens of a run by model, from the agent's own files since a time, for agents whose output does not have them. */
  readUsage?(place: Place, session: string, since: number): Promise<Readonly<Record<string, Usage>>>
  /** The environment variable of the API key, for runs with several keys. */
  readonly keyVariable?: string
}

/** The options of one headless run. */
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
  /** Tools that run without approval, as rules in the CLI's own syntax. */
  readonly allow?: readonly string[]
  readonly skipTrust?: boolean
  readonly extraArgs?: readonly string[]
}

/** A file attached to a prompt. */
export interface MediaFile {
  readonly path: string
  readonly kind: MediaKind
  readonly mediaType: string
}

/** An MCP server: a command, or a URL. */
export type McpServer =
  | {
      readonly command: string
      readonly args?: readonly string[]
      readonly env?: Readonly<Record<string, string>>
    }
  | { readonly url: string; readonly headers?: Readonly<Record<string, string>> }

/** A headless request after the agent prepared its files. */
export interface Prepared {
  /** The request to build the command line from. */
  readonly request: HeadlessRequest
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** Cleans up after success and failure alike, and returns problems to report to the user. */
  finish(): Promise<Problem[]>
}

/** Turns the output of one headless run into events. */
export interface HeadlessReader {
  /** Reads one line of standard output. Never throws: an unrecognized line becomes `unknown`. */
  read(line: string): Event[]
  /** Reads one line of standard error. */
  readError?(line: string): Event[]
  /** A reason to stop a CLI that would otherwise never end. */
  findStopReason?(): Failure | undefined
  /** How the run ended, according to its output. */
  end(exit: { readonly code: number | null; readonly signal: string | null }, stderr: string): Outcome
}

/** The CLI's own summary of a run. */
export interface Outcome {
  readonly ok: boolean
  readonly failure?: Failure
  readonly stopReason?: string
  readonly apiDurationMs?: number
  readonly turns?: number
  readonly costUsd?: number
  readonly permissionDenials?: readonly unknown[]
}

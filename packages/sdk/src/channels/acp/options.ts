import type { AskBroker, EventSink, PromptKind } from '@remora/protocol/plain'
import type { z } from 'zod'
import type { McpServer, Mode } from '../../contract/agent.ts'
import type { Permissions } from './permissions/rules.ts'
import type { HostTool } from './tools/tool.ts'
import type { ToolRules } from './tools/tool-rules.ts'

/** Any ACP agent by its command line. */
export interface AcpCommand {
  readonly command: string
  readonly args?: readonly string[]
  /** The agent id of its events; the program's name by default. */
  readonly id?: string
}

/** The options of a connection. */
export interface ConnectOptions {
  /** Who decides about permission requests; `ask` if `asks` is given, else `deny`. */
  readonly permissions?: Permissions
  /** Answers requests that no rule decides: a callback, a terminal, or the ledger for a phone. */
  readonly asks?: AskBroker
  /** Receives every event before the consumer. */
  readonly sink?: EventSink
  /** Added to this process's environment; undefined removes a variable. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** The working directory of the process; each session has its own. */
  readonly cwd?: string
  /** How long it may take to answer `initialize`, in milliseconds; 60,000 by default. */
  readonly startupTimeout?: number
  /** The initial mode by any of its names, for versions that cannot change it later. */
  readonly mode?: Mode
  readonly model?: string
  /** Whether the agent may read and write workspace files through the client; neither by default. */
  readonly files?: { readonly read?: boolean; readonly write?: boolean }
  /** Whether the agent may run commands through the client, and how much output is kept. */
  readonly terminals?: boolean | { readonly outputBytes?: number }
  /** The silence that ends the replay of a loaded session; 200 ms by default. */
  readonly quietMs?: number
  /** After how many milliseconds of silence a turn counts as stalled, and what to do then; `tell` by default. */
  readonly stuck?: { readonly afterMs: number; readonly act?: 'tell' | 'cancel' | 'restart' }
  readonly signal?: AbortSignal
}

/** The options of a session. */
export interface OpenOptions {
  /** An absolute path. */
  readonly cwd: string
  readonly model?: string
  /**
   * A mode by any of its names, such as `ask` or the agent's id. By default the session is in the agent's asking mode or in its initial
   * mode, but never in one that runs tools without asking.
   */
  readonly mode?: Mode
  /** Tools of the caller that the model may use. */
  readonly tools?: readonly HostTool[]
  /** Policies and feedback for the calls of those tools. */
  readonly toolRules?: ToolRules
  /** Whether the model gets a tool to answer with data; true if the agent supports it. */
  readonly structuredOutput?: boolean
  readonly mcpServers?: Readonly<Record<string, McpServer>>
  /** Signs in by this method of the agent if the agent demands it, and never otherwise. It may change the user's settings. */
  readonly signIn?: string
  /** Resumes a session: its id, or `latest`. */
  readonly resume?: string
  /** With `resume`: continues in a copy and leaves the old session unchanged. */
  readonly fork?: boolean
  /** The token budget of all prompts together. */
  readonly budget?: Budget
  readonly signal?: AbortSignal
}

/** The numbers of tokens after which no further turn starts. */
export interface Budget {
  readonly totalTokens?: number
  readonly inputTokens?: number
  readonly outputTokens?: number
}

/** A prompt: text, or several parts. */
export type PromptContent = string | readonly PromptPart[]

/** A part of a prompt: text, a file, media, a resource or a link. */
export type PromptPart =
  | { readonly type: 'text'; readonly text: string }
  /** A local file: sent as image or audio, else as embedded text or a link. */
  | { readonly type: 'file'; readonly path: string; readonly mediaType?: string }
  | { readonly type: 'image' | 'audio'; readonly data: Uint8Array | string; readonly mediaType: string }
  | { readonly type: 'resource'; readonly uri: string; readonly text: string; readonly mediaType?: string }
  | { readonly type: 'link'; readonly uri: string; readonly name?: string; readonly mediaType?: string }

/** How one prompt runs. */
export interface PromptOptions<Schema extends z.ZodType = z.ZodType> {
  /** The kind of the prompt. Text is the default, and is never run as a command. */
  readonly kind?: PromptKind
  /** The schema of the answer, which is in `result.data`. */
  readonly output?: Schema
  readonly signal?: AbortSignal
  /** The deadline of the turn: a date, or milliseconds from now. */
  readonly deadline?: Date | number
  /** The token budget of this prompt with all its rounds. */
  readonly budget?: Budget
  /** Checks a finished turn and returns what is still to be done, which is sent to the agent. */
  readonly until?: CompletionCheck
  /** How often `until` may continue the work; 10 by default. */
  readonly rounds?: number
}

/** Undefined if the work is done, else what is missing. @example filesExist('report.md') */
export type CompletionCheck = (turn: {
  readonly cwd: string
  readonly text: string
  readonly round: number
}) => string | undefined | Promise<string | undefined>

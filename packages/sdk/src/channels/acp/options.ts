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
  /** The name under which its events are kept; that of the program where it is left out. */
  readonly id?: string
}

/** What holds for a whole connection. */
export interface ConnectOptions {
  /** Who decides what the agent may do: `ask` where `asks` is given, and else `deny`, unless told otherwise. */
  readonly permissions?: Permissions
  /** Settles what rules leave open: a callback, a terminal, or the ledger that a phone answers through. */
  readonly asks?: AskBroker
  /** Where every event goes before anybody sees it. */
  readonly sink?: EventSink
  /** Added to this process's environment; undefined removes a variable. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Where the process is started; sessions have folders of their own. */
  readonly cwd?: string
  /** How long it may take to answer the first word, in milliseconds; 15,000 by default. */
  readonly startupTimeout?: number
  /** What it starts with, for versions that cannot change it later. `ask` means `default`, `bypass` `bypassPermissions`. */
  readonly mode?: Mode | 'ask' | 'bypass'
  readonly model?: string
  /** Whether the agent may read and write files of the workspace through us; neither by default. */
  readonly files?: { readonly read?: boolean; readonly write?: boolean }
  /** Whether the agent may run commands through us, and how much of their output is kept. */
  readonly terminals?: boolean | { readonly outputBytes?: number }
  /** How long nothing must come before what a load replays is over; 200 ms by default. */
  readonly quietMs?: number
  /** Says after how many milliseconds without a sign of life a turn counts as stuck, and what then: `tell` by default. */
  readonly stuck?: { readonly afterMs: number; readonly act?: 'tell' | 'cancel' | 'restart' }
  readonly signal?: AbortSignal
}

/** What one session is opened with. */
export interface OpenOptions {
  /** An absolute path. */
  readonly cwd: string
  readonly model?: string
  /**
   * One of our modes, or one of the agent's own by its id. Without it the session is in the agent's asking mode or in
   * the one that the agent starts in, but never in one that runs tools without asking.
   */
  readonly mode?: Mode | (string & {})
  /** Tools of this program that the model may call. */
  readonly tools?: readonly HostTool[]
  /** What keeps the calls of those tools in order, and what is said about them. */
  readonly toolRules?: ToolRules
  /** Whether the model gets a tool to answer with data; true where the agent can take it. */
  readonly structuredOutput?: boolean
  readonly mcpServers?: Readonly<Record<string, McpServer>>
  /** Goes on with a session: its id, or `latest`. */
  readonly resume?: string
  /** With `resume`: leaves the old session as it is and goes on in a copy. */
  readonly fork?: boolean
  /** The tokens that all prompts together may cost. */
  readonly budget?: Budget
  readonly signal?: AbortSignal
}

/** Tokens after which no further turn is begun. */
export interface Budget {
  readonly totalTokens?: number
  readonly inputTokens?: number
  readonly outputTokens?: number
}

export type PromptContent = string | readonly PromptPart[]

export type PromptPart =
  | { readonly type: 'text'; readonly text: string }
  /** A file of the machine: an image or audio goes as such, anything else as an embedded text or a link. */
  | { readonly type: 'file'; readonly path: string; readonly mediaType?: string }
  | { readonly type: 'image' | 'audio'; readonly data: Uint8Array | string; readonly mediaType: string }
  | { readonly type: 'resource'; readonly uri: string; readonly text: string; readonly mediaType?: string }
  | { readonly type: 'link'; readonly uri: string; readonly name?: string; readonly mediaType?: string }

export interface PromptOptions<Schema extends z.ZodType = z.ZodType> {
  /** What the prompt is; text by default, which the agent never runs as a command. */
  readonly kind?: PromptKind
  /** What the answer shall be; it is in `result.data`. */
  readonly output?: Schema
  readonly signal?: AbortSignal
  /** Until when the turn must be over: a moment, or milliseconds from now. */
  readonly deadline?: Date | number
  /** The tokens that this prompt with all its rounds may cost. */
  readonly budget?: Budget
  /** Looks at a finished turn and says what is still to be done, which sends the agent back to work. */
  readonly until?: CompletionCheck
  /** How often `until` may send it back; 10 by default. */
  readonly rounds?: number
}

/** Undefined if the work is done, else what is missing. @example filesExist('report.md') */
export type CompletionCheck = (turn: {
  readonly cwd: string
  readonly text: string
  readonly round: number
}) => string | undefined | Promise<string | undefined>

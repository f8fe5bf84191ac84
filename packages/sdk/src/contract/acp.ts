import type { ToolOutput, ToolStatus, Usage } from '@remora/protocol/plain'
import type {
  AgentMode,
  ClaudeCall,
  Detection,
  Invocation,
  Mode,
  Place,
  PlanGuard,
  Problem,
} from './agent.ts'
import type { PromptEscape } from './prompt-escapes.ts'
import type { AgentRecord } from '../events/read-record.ts'

/** How an agent is reached over ACP, and where it differs from the protocol. */
export interface AcpPart {
  /** Programs that speak ACP for an agent without ACP support, the preferred one first. */
  readonly wrappers?: readonly AcpWrapper[]
  /** The command line. Throws `unsupported` if the CLI has no flag for a requested mode or model. */
  invocation(version: string | undefined, request?: AcpStart): Invocation
  /** Its modes over ACP, where they are not those of the agent. */
  readonly modes?: readonly AgentMode[]
  /** The `_meta` field of a request that opens a session in this mode. */
  sessionMeta?(mode: string | undefined): AgentRecord | undefined
  /** Whether plan mode is not enforced in a session that was opened in this mode. */
  unsafePlanAfter?(mode: string | undefined): boolean
  /** Keeps plan mode read-only in a process whose mode may change; changes nothing in other modes. */
  guardPlan?(place: Place): Promise<PlanGuard>
  /** A reason why plan mode could write files that cannot be turned off. */
  planObstacle?(place: Place): Promise<Problem | undefined>
  /** Prompts that the agent would run as commands. */
  readonly escapes?: readonly PromptEscape[]
  /** Maps a native tool call to Claude's tool names. */
  readonly toClaude: (name: string, input: unknown) => ClaudeCall
  /** Finds the native name of a tool in the fields of a call. By default all usual places are tried. */
  nativeName?(call: AgentRecord): string | undefined
  /**
   * The complete input of the call in a permission request, for agents whose requests show only a part of it. `call` is
   * everything reported about the call before. Undefined if the input is not certain: the request can only be denied then.
   */
  readAskedInput?(asked: AgentRecord, call: AgentRecord): unknown
  /** Reads the tokens of a turn, for agents that do not use the protocol's field. */
  readUsage?(result: AgentRecord): Usage | undefined
  quirks?(version: string | undefined): AcpQuirks
  /** Reasons why the agent would silently ignore MCP servers in this folder. */
  obstacles?(place: Place): Promise<Problem[]>
  /** Outputs of calls that the agent does not send over the protocol, by call id, read from its own files. */
  outputs?(place: Place, session: string, calls: readonly string[]): Promise<ReadonlyMap<string, AcpOutput>>
  /**
   * The tool of an MCP server that a permission request is about. It uses only fields written by the agent itself, so
   * that the model cannot make another call look like one of ours. `reported` holds everything received about the call.
   */
  hostTool?(server: string, request: AgentRecord, reported: AgentRecord): string | undefined
  /** Copies a session, for agents that cannot fork; undefined if the session does not exist. */
  fork?(place: Place, session: string): Promise<AcpFork | undefined>
}

/** The output of a tool call, read from an ACP update. */
export interface AcpOutput {
  readonly content: ToolOutput
  /** The call's status, if it is more exact than the one sent over the protocol. */
  readonly status?: ToolStatus
}

/** A separate program, detected like an agent. All wrappers of one agent share `variable`. */
export interface AcpWrapper extends Detection {
  readonly package: string
  /** Fields that replace those of the agent's part for this wrapper. */
  readonly part?: Partial<Omit<AcpPart, 'wrappers'>>
  /** The CLI that the wrapper starts: the user's own, or a bundled one. */
  drives(wrapper: FoundProgram, own: FoundProgram | undefined, env: Place['env']): Promise<DrivenAgent>
}

/** A detected program. */
export interface FoundProgram {
  readonly path: string
  readonly version?: string | undefined
}

/** The CLI that a wrapper starts, and whether it is the user's own installation. */
export interface DrivenAgent {
  readonly own: boolean
  readonly version?: string | undefined
}

/** The mode and model that an agent is started with. */
export interface AcpStart {
  readonly mode?: Mode | undefined
  readonly model?: string | undefined
}

/** Deviations of one agent from the protocol. */
export interface AcpQuirks {
  /** How long updates may arrive after the response to a prompt, in milliseconds; 0 by default. */
  readonly lateMs?: number
  /** A command that starts at the moment of a cancel may keep running. */
  readonly leavesCommands?: boolean
  /** It may report another mode than that of the session that is opened, so that a mode is always set. */
  readonly guessesMode?: boolean
  /** The process does not exit when its stdin closes and needs a signal. */
  readonly endBySignal?: boolean
  /**
   * Texts of the agent itself that it sends as if they came from the model. A group `mode` is the new mode; a group
   * `noise` says nothing that other messages do not say.
   */
  readonly remarks?: RegExp
  /** The error that ends a turn after a denied call. It is not a failure. */
  readonly refusal?: RegExp
  /** The error of a turn, where it is sent as text without a message id and the turn then ends as if it had succeeded. */
  readonly failureText?: RegExp
  /**
   * The client does not offer to read files, because the agent does not understand that a file is missing and then
   * cannot create it.
   */
  readonly readsFilesItself?: boolean
  /** The error for a session that is still being closed. A retry succeeds shortly after. */
  readonly lingering?: RegExp
  /** Environment variables to add, such as the path of the CLI that a wrapper starts. */
  readonly env?: (place: Place, own: string | undefined) => Readonly<Record<string, string>>
}

/** A copy of a session that was made for one run. */
export interface AcpFork {
  readonly id: string
  /** Deletes the copy if it was not used. */
  discard(): Promise<void>
}

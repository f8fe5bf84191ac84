import type { ToolOutput, ToolStatus } from '@remora/protocol/plain'
import type { ClaudeCall, Detection, Invocation, Mode, Place, PlanGuard, Problem } from './agent.ts'
import type { PromptEscape } from './prompt-escapes.ts'
import type { AgentRecord } from '../events/read-record.ts'

/** How an agent is reached over ACP, and where it differs from the protocol. */
export interface AcpPart {
  /** Programs that speak ACP for an agent which does not by itself, the preferred one first. */
  readonly wrappers?: readonly AcpWrapper[]
  /** The command line of the agent. Mode and model are those it starts with, by flags; throws `unsupported` without any. */
  invocation(version: string | undefined, request?: AcpStart): Invocation
  /** Its own ids for our modes, by preference where its versions or wrappers differ. What is missing it does not have. */
  readonly modes: NativeModes
  /** What it is given with every session, as `_meta`, for a session that is opened in this mode. */
  sessionMeta?(mode: string | undefined): AgentRecord | undefined
  /** Whether its plan mode does not hold in a session that was opened in this mode. */
  unsafePlanAfter?(mode: string | undefined): boolean
  /** Keeps plan mode read-only in a process whose mode may change; changes nothing in other modes. */
  guardPlan?(place: Place): Promise<PlanGuard>
  /** What would make its plan mode write, and cannot be switched off. */
  planObstacle?(place: Place): Promise<Problem | undefined>
  /** Prompts that it would run as commands. */
  readonly escapes?: readonly PromptEscape[]
  /** Its native calls in Claude's words. */
  readonly toClaude: (name: string, input: unknown) => ClaudeCall
  quirks?(version: string | undefined): AcpQuirks
  /** What would make it ignore MCP servers in this folder, in silence. */
  obstacles?(place: Place): Promise<Problem[]>
  /** Outputs of calls that it does not tell over the protocol, by their ids, as its own files have them. */
  outputs?(place: Place, session: string, calls: readonly string[]): Promise<ReadonlyMap<string, AcpOutput>>
  /**
   * Which tool of an MCP server a request for permission is about, by what only the agent itself writes there: the model
   * must not be able to make another call look like one of ours. `told` is all that was told of the call.
   */
  hostTool?(server: string, request: AgentRecord, told: AgentRecord): string | undefined
  /** A copy of a session to go on in, for agents that cannot fork by themselves; undefined if there is no such session. */
  fork?(place: Place, session: string): Promise<AcpFork | undefined>
}

export type NativeModes = Readonly<Partial<Record<Mode, string | readonly string[]>>>

export interface AcpOutput {
  readonly content: ToolOutput
  /** How the call ended, where that is told better there. */
  readonly status?: ToolStatus
}

/** A program of its own, found as agents are. All wrappers of one agent share `variable`. */
export interface AcpWrapper extends Detection {
  readonly package: string
  /** The oldest Node that runs it; any where it is left out. */
  readonly minimumNode?: string
  /** What holds for this wrapper only. It replaces the same fields of the agent's part. */
  readonly part?: Partial<Omit<AcpPart, 'wrappers'>>
  /** The agent that it drives, as far as that is known: the user's own, or one that it has built in. */
  drives(wrapper: FoundProgram, own: FoundProgram | undefined, env: Place['env']): Promise<DrivenAgent>
}

export interface FoundProgram {
  readonly path: string
  readonly version?: string | undefined
}

export interface DrivenAgent {
  readonly own: boolean
  readonly version?: string | undefined
}

export interface AcpStart {
  readonly mode?: Mode | undefined
  readonly model?: string | undefined
}

export interface AcpQuirks {
  /** How long to wait after a prompt for updates that may come late, in milliseconds; not at all by default. */
  readonly lateMs?: number
  /** A turn that is cancelled in the moment in which a command starts may leave that command running. */
  readonly leavesCommands?: boolean
  /** It stays when its stdin closes, so it is told by a signal. */
  readonly endBySignal?: boolean
  /** Texts that it puts among the model's words and that are not the model's. */
  readonly remarks?: RegExp
  /** The error by which it ends a turn in which a call was refused: the turn is over, and nothing is broken. */
  readonly refusal?: RegExp
  /**
   * It is not offered to read files through us, because it takes no refusal for the word that there is no such file, and
   * then can make none.
   */
  readonly readsByItself?: boolean
  /** The error by which it says that a session was not let go of yet, which passes in a moment. */
  readonly lingering?: RegExp
  /** Environment that the connection adds, such as the user's own CLI for a wrapper to drive. */
  readonly env?: (place: Place, own: string | undefined) => Readonly<Record<string, string>>
}

export interface AcpFork {
  readonly id: string
  /** Takes the copy away again if nobody has gone on in it. */
  discard(): Promise<void>
}

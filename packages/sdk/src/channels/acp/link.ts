import type { Event } from '@remora/protocol/plain'
import type { AcpOutput, Place, PromptEscape } from '../../contract/agent.ts'
import type { EventFields } from '../../events/event-maker.ts'
import type { AgentRecord } from '../../events/read-record.ts'
import type { Choices } from './choices.ts'
import type { ModeGuard } from './guard-mode.ts'
import type { LiveSession } from './live-session.ts'
import type { ConnectOptions } from './options.ts'
import type { PromptCapabilities } from './prompt-content.ts'

/** What a session needs of the connection that it is part of. */
export interface Link {
  readonly title: string
  readonly options: ConnectOptions
  readonly takes: PromptCapabilities
  readonly stderr: string
  /** How long to wait for what comes after a turn. */
  readonly lateMs: number
  /** Prompts that the agent would run as commands. */
  readonly escapes: readonly PromptEscape[] | undefined
  readonly guard: ModeGuard
  /** The agent's own id for a mode. */
  modeId(mode: string, choices: Choices): string
  /** Our word for a mode of the agent's, or its own id. */
  modeName(id: string): string
  /** Whether the agent runs tools without asking in this mode of its own. */
  isSelfApproving(id: string): boolean
  /** Whether the agent's plan mode does not hold in a session that was opened in this mode. */
  unsafePlanAfter(mode: string | undefined): boolean
  /** Throws where the agent's plan mode would not be read-only in this place. */
  checkPlan(place: Place): Promise<void>
  /** Settles when a restart that is under way is over; undefined if there is none. */
  readonly restarting: Promise<void> | undefined
  /** Whether the agent is not read at the moment. */
  readonly held: boolean
  /** Waits for a restart that is under way. */
  request(method: string, params: object): Promise<AgentRecord>
  notify(method: string, params: object): Promise<void>
  /** Settles when all that was heard is told. */
  settled(): Promise<void>
  /** Makes events of our own; settles when the sink has them. */
  tell(session: string, fields: readonly EventFields[]): Promise<Event[]>
  /** The same for something that the turn under way, if there is one, shall tell too. */
  warn(session: string, fields: EventFields): void
  /** Ends the agent, and with it every turn that is under way. */
  fail(error: Error): Promise<void>
  /** Ends commands that a cancelled turn of such an agent may leave, unless another session is at work: they may be its. */
  endCommands(session: LiveSession, startedAfter: number): Promise<void>
  restart(): Promise<void>
  /** The session is closed. */
  leave(session: string): Promise<void>
  /** Too much of a session lies unread: reads no more, unless somebody else waits for an answer; or it was read. */
  slow(session: string, slow: boolean): void
  /** Reads whatever comes, until that is taken back. */
  letFlow(): () => void
  /** Outputs that the agent does not tell by itself. */
  outputs(session: LiveSession, calls: readonly string[]): Promise<ReadonlyMap<string, AcpOutput>>
}

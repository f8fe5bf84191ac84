import type { Event } from '@remora/protocol/plain'
import type { AcpOutput, Place, PromptEscape } from '../../contract/agent.ts'
import type { EventFields } from '../../events/event-maker.ts'
import type { AgentRecord } from '../../events/read-record.ts'
import type { Choices } from './choices.ts'
import type { ModeGuard } from './guard-mode.ts'
import type { LiveSession } from './live-session.ts'
import type { ConnectOptions } from './options.ts'
import type { PromptCapabilities } from './prompt-content.ts'
import type { SessionModes } from './session-modes.ts'

/** What a session needs from its connection. */
export interface Link {
  readonly title: string
  readonly options: ConnectOptions
  readonly takes: PromptCapabilities
  readonly stderr: string
  /** How long to wait for late updates after a turn. */
  readonly lateMs: number
  /** Prompts that the agent would run as commands. */
  readonly escapes: readonly PromptEscape[] | undefined
  readonly guard: ModeGuard
  /** Gets the modes of a session. */
  modes(choices: Choices): SessionModes
  /** Whether the agent's plan mode has no effect in a session that was opened in this mode. */
  unsafePlanAfter(mode: string | undefined): boolean
  /** Throws if the agent's plan mode would not be read-only here. */
  checkPlan(place: Place): Promise<void>
  /** Resolves when the current restart is over; undefined if there is none. */
  readonly restarting: Promise<void> | undefined
  /** Whether reading from the agent is paused. */
  readonly held: boolean
  /** Waits for the current restart. */
  request(method: string, params: object): Promise<AgentRecord>
  notify(method: string, params: object): Promise<void>
  /** Resolves when everything received is delivered. */
  settled(): Promise<void>
  /** Emits events of our own; resolves when the sink has them. */
  emit(session: string, fields: readonly EventFields[]): Promise<Event[]>
  /** Emits a warning that the running turn, if any, also gets. */
  warn(session: string, fields: EventFields): void
  /** Ends the agent, and with it every running turn. */
  fail(error: Error): Promise<void>
  /**
   * Ends commands that a cancelled turn may leave running, unless another session is active, because they may be its
   * own.
   */
  endCommands(session: LiveSession, startedAfter: number): Promise<void>
  restart(): Promise<void>
  /** Called when the session is closed. */
  leave(session: string): Promise<void>
  /** Pauses reading while a session has too many unread events, unless a response is awaited; `false` resumes it. */
  slow(session: string, slow: boolean): void
  /** Keeps reading until the returned function is called. */
  letFlow(): () => void
  /** Reads outputs that the agent does not send. */
  outputs(session: LiveSession, calls: readonly string[]): Promise<ReadonlyMap<string, AcpOutput>>
}

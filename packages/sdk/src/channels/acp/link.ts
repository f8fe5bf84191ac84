import type { Event } from '@remora/protocol/plain'
import type { AcpOutput } from '../../agent.ts'
import type { EventFields } from '../../event-maker.ts'
import type { AgentRecord } from '../../read-record.ts'
import type { PromptCapabilities } from './prompt-content.ts'
import type { ConnectOptions } from './options.ts'
import type { Session } from './session.ts'

/** What a session needs of the connection that it is part of. */
export interface Link {
  readonly title: string
  readonly options: ConnectOptions
  readonly takes: PromptCapabilities
  readonly stderr: string
  /** The agent's own id for a mode. */
  modeId(mode: string): string
  request(method: string, params: object): Promise<AgentRecord>
  notify(method: string, params: object): Promise<void>
  /** Makes events of our own and hands them on. */
  tell(session: string, fields: readonly EventFields[]): Event[]
  /** Ends the agent, and with it every turn that is under way. */
  fail(error: Error): Promise<void>
  restart(): Promise<void>
  /** The session is closed. */
  leave(session: string): Promise<void>
  /** Too much lies unread: reads no more, unless another session needs it, until it is said to be read. */
  slow(session: Session): void
  read(session: Session): void
  /** Outputs that the agent does not tell by itself. */
  outputs(session: Session, calls: readonly string[]): Promise<ReadonlyMap<string, AcpOutput>>
  /** How long to wait for what comes after a turn. */
  readonly lateMs: number
}

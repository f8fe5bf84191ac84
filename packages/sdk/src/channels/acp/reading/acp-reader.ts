import type { Answer, Ask, Event } from '@remora/protocol/plain'
import type { AcpQuirks, ClaudeCall, NativeModes } from '../../../contract/agent.ts'
import type { AgentRecord } from '../../../events/read-record.ts'
import type { KnownCall } from './tool-calls.ts'

/** One JSON-RPC message, and which side sent it. */
export interface AcpMessage {
  readonly from: 'client' | 'agent'
  readonly message: AgentRecord
}

export interface AcpReader {
  /**
   * The events of one message; undefined for one that it does not know. The present is its time, unless one is given.
   * What is said before there is a session is told when there is one.
   */
  read(message: AcpMessage, at?: number): Event[] | undefined
  /** Who will have answered a request for permission; a person, unless this is said. */
  decided(request: unknown, by: Answer['by'], device?: string): void
  /** The agent was started again: what it was asked for is never answered, and it counts its requests anew. */
  restarted(): void
  /** What a request for permission asks, until it is answered. */
  ask(request: unknown): Ask | undefined
  /** The agent of a session has gone in the middle of its work: what was under way will have no end of its own. */
  abandon(session: string): Event[]
  /** A session that was closed. */
  forget(session: string): void
  /** What is known of a call by now. */
  call(session: string, id: string): KnownCall | undefined
}

/** Where an agent's words are not what they seem. */
export interface ReaderQuirks extends Pick<AcpQuirks, 'remarks' | 'refusal' | 'failureText'> {
  /** Its own ids for our modes. */
  readonly modes?: NativeModes
}

/** Tells a native call in Claude's words. */
export type ToClaude = (name: string, input: unknown) => ClaudeCall

import type { Answer, Ask, Event } from '@remora/protocol/plain'
import type { AcpPart, AcpQuirks, ClaudeCall, AgentMode } from '../../../contract/agent.ts'
import type { AgentRecord } from '../../../events/read-record.ts'
import type { KnownCall } from './tool-calls.ts'

/** One JSON-RPC message and its sender. */
export interface AcpMessage {
  readonly from: 'client' | 'agent'
  readonly message: AgentRecord
}

export interface AcpReader {
  /**
   * Reads the events of one message; undefined for an unknown one. Its time is now by default. Messages before the
   * first session are emitted with that session.
   */
  read(message: AcpMessage, at?: number): Event[] | undefined
  /** Sets who answered a permission request; the user by default. */
  decided(request: unknown, by: Answer['by'], device?: string): void
  /** The agent was restarted: pending requests are never answered, and request ids start again. */
  restarted(): void
  /** Gets the ask of a permission request until it is answered. */
  ask(request: unknown): Ask | undefined
  /** The agent ended during a turn, so running calls will not report their own end. */
  abandon(session: string): Event[]
  /** Forgets a closed session. */
  forget(session: string): void
  /** Gets what is known of a call so far. */
  call(session: string, id: string): KnownCall | undefined
}

/** Deviations of an agent from the protocol. */
export interface ReaderQuirks extends Pick<AcpQuirks, 'remarks' | 'refusal' | 'failureText'> {
  /** The agent's modes; those of each session by default. */
  readonly modes?: readonly AgentMode[] | undefined
  readonly nativeName?: AcpPart['nativeName']
  readonly readAskedInput?: AcpPart['readAskedInput']
  readonly readUsage?: AcpPart['readUsage']
}

/** What a reader needs of an agent's part. @example acpReader(maker, acp.toClaude, toReaderQuirks(acp, quirks)) */
export function toReaderQuirks(part: AcpPart, quirks: AcpQuirks): ReaderQuirks {
  const { modes, nativeName, readAskedInput, readUsage } = part
  return {
    ...quirks,
    modes,
    nativeName: nativeName?.bind(part),
    readAskedInput: readAskedInput?.bind(part),
    readUsage: readUsage?.bind(part),
  }
}

/** Maps a native call to Claude's tool. */
export type ToClaude = (name: string, input: unknown) => ClaudeCall

import type { AcpCalls } from './tool-calls.ts'

/** One conversation on the connection. */
export interface Conversation {
  readonly calls: AcpCalls
  /** The prompts so far, and the pieces between tool calls. */
  turn: string
  segment: number
  /** How much was said of each kind in this piece. */
  readonly said: Record<'text' | 'thinking', number>
  message: string | undefined
  working: boolean
  /** From a load to the next prompt all that is told is told again. */
  replaying: boolean
  /** How full the context was when that was last told. */
  context: number | undefined
  /** Whether in this turn a person said no, and whether it was cancelled. */
  denied: boolean
  cancelled: boolean
}

/** What a prompt begins with. */
export const newTurn = { replaying: false, context: undefined, denied: false, cancelled: false } as const

export function createConversation(calls: AcpCalls, turn: string): Conversation {
  return {
    calls,
    turn,
    segment: 0,
    said: { text: 0, thinking: 0 },
    message: undefined,
    working: false,
    ...newTurn,
  }
}

import type { Message } from '@remora/protocol'
import { type ToolCall, callsOf } from '../../tool-calls/call.ts'
import { todosOf } from '../../tool-calls/todos.ts'

/** So far back a list of steps is still what the agent goes by. */
const mostMessages = 300

export interface TodosNow {
  readonly call: ToolCall
  readonly done: number
  readonly all: number
}

/** The steps that the agent has set itself, as it told them last; sub-agents have lists of their own. */
export function todosNow(messages: readonly Message[]): TodosNow | undefined {
  const end = Math.max(0, messages.length - mostMessages)
  for (let index = messages.length - 1; index >= end; index--) {
    const message = messages[index]!
    if (message.parent !== undefined || message.role !== 'assistant') continue
    const call = callsOf(message).findLast(({ name }) => name === 'TodoWrite')
    if (!call) continue
    const todos = todosOf(call).filter(({ status }) => status !== 'cancelled')
    const done = todos.filter(({ status }) => status === 'completed').length
    return todos.length === 0 ? undefined : { call, done, all: todos.length }
  }
  return undefined
}

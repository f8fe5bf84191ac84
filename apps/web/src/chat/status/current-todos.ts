import type { Message } from '@remora/protocol'
import { type ToolCall, listCalls } from '../../tool-calls/call.ts'
import { listTodos } from '../../tool-calls/todos.ts'

/** So far back a list of steps is still what the agent goes by. */
const maxMessages = 300

export interface CurrentTodos {
  readonly call: ToolCall
  readonly done: number
  readonly all: number
}

/** The steps that the agent has set itself, as it told them last; sub-agents have lists of their own. */
export function getCurrentTodos(messages: readonly Message[]): CurrentTodos | undefined {
  const end = Math.max(0, messages.length - maxMessages)
  for (let index = messages.length - 1; index >= end; index--) {
    const message = messages[index]!
    if (message.parent !== undefined || message.role !== 'assistant') continue
    const call = listCalls(message).findLast(({ name }) => name === 'TodoWrite')
    if (!call) continue
    const todos = listTodos(call).filter(({ status }) => status !== 'cancelled')
    const done = todos.filter(({ status }) => status === 'completed').length
    return todos.length === 0 ? undefined : { call, done, all: todos.length }
  }
  return undefined
}

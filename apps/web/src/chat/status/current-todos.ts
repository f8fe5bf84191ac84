import type { Message } from '@remora/protocol'
import { type ToolCall, listCalls } from '../../tool-calls/call.ts'
import { listTodos } from '../../tool-calls/todos.ts'

/** How many messages back a to-do list still applies. */
const maxMessages = 300

export interface CurrentTodos {
  readonly call: ToolCall
  readonly done: number
  readonly all: number
}

/** The latest to-do list of the main agent. Sub-agents have their own lists. */
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

import type { LiveInfo, Message } from '@remora/protocol'
import type { ContextUse } from '@remora/protocol/api'
import { useEffect, useMemo, useState } from 'react'
import { useConnection } from '../../state/connection.ts'
import { useTimeline } from '../../state/timeline.ts'
import { api, type SessionKey } from '../../wire/api.ts'
import { listCalls, type ToolCall } from '../../tool-calls/call.ts'
import { listTodos } from '../../tool-calls/parsing.ts'
import { words } from '../../words/index.ts'

export interface ContextLeft {
  readonly percent: number
  readonly used: number
  readonly size: number
}

/** The remaining context of an agent; undefined if unknown. */
export function useContextLeft({ agent, session }: SessionKey): ContextLeft | undefined {
  const { messages } = useTimeline({ agent, session })
  const isOnline = useConnection(({ state }) => state === 'online')
  const last = useMemo(() => findLastUsage(messages), [messages])
  const [reported, setReported] = useState<ContextUse>({})
  const model = last?.model
  const tokens = last?.tokens
  useEffect(() => {
    if (!isOnline) return undefined
    const abort = new AbortController()
    api
      .get('/api/sessions/:agent/:session/context', {
        params: { agent, session },
        query: { model },
        signal: abort.signal,
      })
      .then(setReported, () => {
        // Unknown values are not shown.
      })
    return () => abort.abort()
  }, [agent, session, model, tokens, isOnline])
  const used = reported.used ?? tokens
  const percent = getPercentLeft(used, reported.size)
  return percent === undefined ? undefined : { percent, used: used!, size: reported.size! }
}

export interface LastUsage {
  readonly model: string | undefined
  /** The tokens in context after the answer. */
  readonly tokens: number
}

/** The usage of the last answer of the main agent. Sub-agents have their own context. */
export function findLastUsage(messages: readonly Message[]): LastUsage | undefined {
  for (let index = messages.length - 1; index >= 0; index--) {
    const { role, parent, usage, model } = messages[index]!
    if (role !== 'assistant' || parent !== undefined || usage?.inputTokens === undefined) continue
    return { model, tokens: usage.inputTokens + (usage.outputTokens ?? 0) }
  }
  return undefined
}

/** The remaining percentage; undefined if the numbers contradict each other. */
export function getPercentLeft(used: number | undefined, size: number | undefined): number | undefined {
  if (used === undefined || size === undefined || !(size > 0) || used < 0 || used > size) return undefined
  return Math.floor(((size - used) / size) * 100)
}

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

/**
 * Explains why the state of a session is unknown; undefined if it is known.
 *
 * @example getUnknownState(live, false) // 'Offline, status unknown'
 */
export function getUnknownState({ node }: Pick<LiveInfo, 'node'>, isOnline: boolean): string | undefined {
  if (!isOnline) return words.status.offline
  return node?.silent ? words.machines.offline(node.name) : undefined
}

import { type EventOf, RemoraError } from '@remora/protocol/plain'
import type { Agent } from '../../contract/agent.ts'
import { EventMaker } from '../../events/event-maker.ts'
import { defined, asRecord, asString } from '../../events/fields.ts'
import type { AgentRecord } from '../../events/read-record.ts'
import { completePayload, withError } from './read-payload.ts'

/** A tool call as sent to a hook. A call with an error is a desire path. */
export interface ToolInvocation {
  /** The native name of the tool. */
  readonly tool: string
  readonly session?: string
  readonly input?: unknown
  readonly cwd?: string
  readonly error?: string
  /** All other fields of the payload. */
  readonly extra: AgentRecord
}

/**
 * Reads a payload about a tool call. Throws `input` if it has no tool name.
 *
 * @example readInvocation(gemini, { hook_event_name: 'AfterTool', tool_name: 'glob', … }).error
 */
export function readInvocation(agent: Agent, payload: AgentRecord): ToolInvocation {
  const maker = new EventMaker({ agent: agent.id, channel: 'hooks', source: 'invocation' })
  maker.next(0)
  const read = agent.hooks?.reader?.(maker).read(completePayload(agent, payload)) ?? []
  const events = withError(read, payload)
  const use = events.find((event): event is EventOf<'tool_use'> => event.type === 'tool_use')
  const result = events.find((event): event is EventOf<'tool_result'> => event.type === 'tool_result')
  if (!use)
    throw new RemoraError('input', `The payload of ${agent.title} names no tool`, {
      hint: 'A payload about a tool has its name in "tool_name".',
    })
  return {
    tool: use.native?.name ?? use.name,
    ...defined({
      session: asString(payload['session_id']),
      input: payload['tool_input'] ?? asRecord(payload['input'])?.['args'],
      cwd: asString(payload['cwd']),
      error: getError(result),
    }),
    extra: getExtra(payload),
  }
}

/** Whether a payload is about a tool, and so must name one. @example isToolPayload({ hook_event_name: 'AfterTool' }) */
export function isToolPayload(payload: AgentRecord): boolean {
  const event = asString(payload['hook_event_name']) ?? ''
  if (event === '') return asString(payload['type']) !== 'agent-turn-complete'
  return /^(?:(?:before|after|pre|post)tool(?:use)?(?:failure)?|tool\.execute\.(?:before|after))$/i.test(
    event,
  )
}

function getError(result: EventOf<'tool_result'> | undefined): string | undefined {
  if (!result || result.status === 'success') return undefined
  const { content, status } = result
  if (typeof content === 'string') return content
  const words = content?.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n')
  return words ? words : status
}

function getExtra(payload: AgentRecord): AgentRecord {
  const known = new Set(['tool_name', 'session_id', 'tool_input', 'cwd'])
  if (typeof payload['error'] === 'string') known.add('error')
  if (asRecord(payload['input'])?.['tool'] !== undefined) known.add('input')
  return Object.fromEntries(Object.entries(payload).filter(([name]) => !known.has(name)))
}

import type { Event, ToolStatus } from '@remora/protocol/plain'
import type { HookPayloadReader } from '../../contract/agent.ts'
import type { EventMaker } from '../../events/event-maker.ts'
import { asRecord, asString } from '../../events/fields.ts'
import type { AgentRecord } from '../../events/read-record.ts'
import { createFolderSessionId } from '../../events/digest.ts'
import {
  type HookFields,
  type OpenCalls,
  PerSession,
  closeCall,
  makeHookEvents,
  openCall,
  toCallFields,
  toPromptFields,
  toSessionFields,
} from '../../dialects/hook-payloads.ts'
import { toClaude } from './tools.ts'

/**
 * Reads the hook payloads of Kiro, as documented. They identify neither sessions nor calls: each folder is one session,
 * and calls are matched by name and input.
 *
 * @example hookReader(maker).read({ hook_event_name: 'userPromptSubmit', cwd: '/home/me/work', prompt: 'Hi' })
 */
export function hookReader(maker: EventMaker, state?: unknown): HookPayloadReader {
  const sessions = new PerSession<{ open: OpenCalls }>(() => ({ open: [] }), state)
  return {
    read(payload: AgentRecord): Event[] | undefined {
      const session = asString(payload['session_id']) || createFolderSessionId(maker.agent, payload['cwd'])
      const named = { ...payload, session_id: session }
      const fields = fieldsFor(named, sessions.of(named).open)
      return fields && makeHookEvents(maker, named, fields, payload)
    },
    state: () => sessions.state(),
  }
}

function fieldsFor(payload: AgentRecord, open: OpenCalls): HookFields[] | undefined {
  switch (payload['hook_event_name']) {
    case 'agentSpawn':
      open.length = 0
      return [toSessionFields(payload)]
    case 'userPromptSubmit': {
      const prompt = asString(payload['prompt'])
      open.length = 0
      return prompt === undefined ? undefined : [toPromptFields(prompt)]
    }
    case 'preToolUse':
      return calls(payload, (call) => {
        openCall(open, call.use.entity)
        return [call.use]
      })
    case 'postToolUse':
      return calls(payload, (call) => [
        ...(closeCall(open, call.use.entity) ? [] : [call.use]),
        result(call.use.entity, call.payload),
      ])
    case 'stop':
      return [{ type: 'done', ok: true }]
    default:
      return undefined
  }
}

interface Call {
  readonly payload: AgentRecord
  readonly use: Extract<HookFields, { type: 'tool_use' }> & { entity: string }
}

/** Reads one call, or several parallel ones. */
function calls(payload: AgentRecord, toFields: (call: Call) => HookFields[]): HookFields[] | undefined {
  const several = Array.isArray(payload['hook_events']) ? (payload['hook_events'] as unknown[]) : [payload]
  const eventFields = several.flatMap((value) => {
    const each = asRecord(value) ?? {}
    const use = toCallFields(each, toClaude)
    return use ? toFields({ payload: each, use }) : []
  })
  return eventFields.length === 0 ? undefined : eventFields
}

function result(entity: string, payload: AgentRecord): HookFields {
  const response = asRecord(payload['tool_response'])
  const content = toText(response?.['error'] ?? response?.['result'])
  const failed = response?.['success'] === false || exitedBadly(response?.['result'])
  const status: ToolStatus = failed ? 'error' : 'success'
  return { type: 'tool_result', entity, status, ...(content === '' ? {} : { content }) }
}

/** The CLI reports every command as a success; the exit status is in its result. */
function exitedBadly(result: unknown): boolean {
  const parts = Array.isArray(result) ? (result as unknown[]) : [result]
  return parts.some((part) => {
    const exit = asRecord(part)?.['exit_status'] ?? 0
    return exit !== 0 && exit !== '0'
  })
}

/** Converts a result: a list of texts, or of objects such as the output and exit status of a command. */
function toText(value: unknown): string {
  if (value === undefined || value === null) return ''
  if (Array.isArray(value)) return value.map(toText).join('\n')
  return asString(value) ?? JSON.stringify(value)
}

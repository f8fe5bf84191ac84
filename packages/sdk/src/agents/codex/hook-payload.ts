import type { HookPayloadReader } from '../../agent.ts'
import type { Event } from '@remora/protocol/plain'
import type { EventMaker } from '../../event-maker.ts'
import { stringOf } from '../../fields.ts'
import type { AgentRecord } from '../../read-record.ts'
import { type HookFields, hookEvents, promptFields, sessionFields, workingFields } from '../hook-payloads.ts'
import { toClaude } from './tools.ts'

/**
 * Reads what Codex tells its hooks. A call that a patch was made of has no end here.
 *
 * @example hookReader(maker).read({ hook_event_name: 'UserPromptSubmit', session_id: 'a', prompt: 'Hi' })
 */
export function hookReader(maker: EventMaker): HookPayloadReader {
  return {
    read(payload: AgentRecord): Event[] | undefined {
      const fields = fieldsFor(payload)
      return fields && hookEvents(maker, payload, fields)
    },
  }
}

function fieldsFor(payload: AgentRecord): HookFields[] | undefined {
  const name = stringOf(payload['hook_event_name'])
  const turn = stringOf(payload['turn_id'])
  switch (name) {
    case 'SessionStart':
      return [sessionFields(payload)]
    case 'SessionEnd':
      return [{ type: 'status', status: 'ended', detail: stringOf(payload['reason']) ?? '' }]
    case 'UserPromptSubmit': {
      const prompt = stringOf(payload['prompt'])
      if (prompt === undefined) return undefined
      return [promptFields(prompt, turn === undefined ? undefined : `${turn}/prompt`)]
    }
    case 'PreToolUse':
    case 'PostToolUse':
      return call(payload, name === 'PostToolUse')
    case 'Stop':
      return [...answer(payload), { type: 'done', ok: true }]
    case 'Interrupt':
      return [{ type: 'done', ok: false, stopReason: 'cancelled' }]
    case 'PermissionRequest':
      return [{ type: 'status', status: 'waiting', detail: stringOf(payload['tool_name']) ?? '' }]
    case 'PreCompact':
      return [{ type: 'status', status: 'compacting' }]
    case 'PreModelRequest':
    case 'PostModelRequest':
    case 'PostCompact':
    case 'SubagentStart':
    case 'SubagentStop':
      return [workingFields(name)]
    default:
      return undefined
  }
}

function call(payload: AgentRecord, over: boolean): HookFields[] | undefined {
  const entity = stringOf(payload['tool_use_id'])
  const name = stringOf(payload['tool_name'])
  if (entity === undefined || name === undefined) return undefined
  if (over) {
    const response = payload['tool_response']
    const content = stringOf(response) ?? JSON.stringify(response)
    return [
      {
        type: 'tool_result',
        entity,
        status: 'success',
        ...(content === undefined ? {} : { content }),
      },
    ]
  }
  const input = payload['tool_input'] ?? {}
  return [{ type: 'tool_use', entity, ...toClaude(name, input), native: { name, input } }]
}

function answer(payload: AgentRecord): HookFields[] {
  const text = stringOf(payload['last_assistant_message']) ?? ''
  return text === '' ? [] : [{ type: 'text', offset: 0, text, final: true }]
}

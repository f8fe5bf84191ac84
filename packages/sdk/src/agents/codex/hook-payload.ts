import { callEntity } from '@remora/protocol/fold'
import type { AskOption, Event } from '@remora/protocol/plain'
import type { HookPayloadReader } from '../../contract/agent.ts'
import type { EventMaker } from '../../events/event-maker.ts'
import { asString } from '../../events/fields.ts'
import type { AgentRecord } from '../../events/read-record.ts'
import {
  closeCall,
  formatInput,
  type HookFields,
  makeHookEvents,
  openCall,
  type OpenCalls,
  PerSession,
  toAskFields,
  toPromptFields,
  toSessionFields,
  toWorkingFields,
} from '../../dialects/hook-payloads.ts'
import { toClaude } from './tools.ts'

/** What is remembered of the turn under way. */
interface Turn {
  /** The turn whose prompt was told, and the one whose end was: both the hooks and `notify` tell of them. */
  prompted?: string
  ended?: string
  /** The calls whose beginning was told and whose end was not. */
  readonly open: OpenCalls
}

/**
 * Reads what Codex tells its hooks, and its `notify` program. A call that a patch was made of has no end here.
 *
 * @example hookReader(maker).read({ hook_event_name: 'UserPromptSubmit', session_id: 'a', prompt: 'Hi' })
 */
export function hookReader(maker: EventMaker, state?: unknown): HookPayloadReader {
  const turns = new PerSession<Turn>(() => ({ open: [] }), state)
  return {
    read(payload: AgentRecord): Event[] | undefined {
      const thread = asString(payload['thread-id'])
      const named = thread === undefined ? payload : { ...payload, session_id: thread }
      const fields = fieldsFor(named, turns.of(named))
      return fields && makeHookEvents(maker, named, fields, payload)
    },
    state: () => turns.state(),
  }
}

function fieldsFor(payload: AgentRecord, told: Turn): HookFields[] | undefined {
  const name = asString(payload['hook_event_name'])
  if (name === undefined && payload['type'] === 'agent-turn-complete') return notified(payload, told)
  const turn = asString(payload['turn_id'])
  switch (name) {
    case 'SessionStart':
      return [toSessionFields(payload)]
    case 'SessionEnd':
      return [{ type: 'status', status: 'ended', detail: asString(payload['reason']) ?? '' }]
    case 'UserPromptSubmit': {
      const prompt = asString(payload['prompt'])
      if (prompt === undefined) return undefined
      if (turn !== undefined) told.prompted = turn
      return [toPromptFields(prompt, turn === undefined ? undefined : `${turn}/prompt`)]
    }
    case 'PreToolUse':
    case 'PostToolUse':
      return call(payload, told.open, name === 'PostToolUse')
    case 'Stop':
      return ended(payload, turn, told, 'last_assistant_message')
    case 'Interrupt':
      return [{ type: 'done', ok: false, stopReason: 'cancelled' }]
    case 'PermissionRequest':
      return request(payload)
    case 'PreCompact':
      return [{ type: 'status', status: 'compacting' }]
    case 'PreModelRequest':
    case 'PostModelRequest':
    case 'PostCompact':
    case 'SubagentStart':
    case 'SubagentStop':
      return [toWorkingFields(name)]
    default:
      return undefined
  }
}

function call(payload: AgentRecord, open: OpenCalls, over: boolean): HookFields[] | undefined {
  const name = asString(payload['tool_name']) ?? ''
  if (name === '') return undefined
  const input = payload['tool_input'] ?? {}
  const entity = asString(payload['tool_use_id']) ?? callEntity(name, input)
  const use: HookFields = { type: 'tool_use', entity, ...toClaude(name, input), native: { name, input } }
  if (!over) {
    openCall(open, entity)
    return [use]
  }
  const response = payload['tool_response']
  const content = asString(response) ?? JSON.stringify(response)
  return [
    ...(closeCall(open, entity) ? [] : [use]),
    {
      type: 'tool_result',
      entity,
      // Whether it failed is told nowhere but in the transcript.
      status: 'success',
      ...(content === undefined ? {} : { content }),
    },
  ]
}

/** What `notify` is given: a whole turn in one, told already where there are hooks as well. */
function notified(payload: AgentRecord, told: Turn): HookFields[] | undefined {
  const turn = asString(payload['turn-id'])
  if (asString(payload['session_id']) === undefined) return undefined
  const said = Array.isArray(payload['input-messages']) ? (payload['input-messages'] as unknown[]) : []
  const prompt = said.flatMap((each) => asString(each) ?? []).join('\n')
  const fresh = prompt !== '' && turn !== undefined && told.prompted !== turn
  const words = fresh ? [toPromptFields(prompt, `${turn}/prompt`)] : []
  return [...words, ...ended(payload, turn, told, 'last-assistant-message')]
}

function ended(payload: AgentRecord, turn: string | undefined, told: Turn, words: string): HookFields[] {
  if (turn !== undefined && told.ended === turn) return [{ type: 'status', status: 'idle' }]
  if (turn !== undefined) told.ended = turn
  const text = asString(payload[words]) ?? ''
  return [
    ...(text === '' ? [] : [{ type: 'text', offset: 0, text, final: true } as const]),
    { type: 'done', ok: true },
  ]
}

/** What its terminal offers. The payload does not tell it. */
const options: readonly AskOption[] = [
  { id: 'yes', label: 'Yes, proceed', effect: 'allow' },
  { id: 'always', label: "Yes, and don't ask again", effect: 'allow_always' },
  { id: 'no', label: 'No, and tell Codex what to do differently', effect: 'deny' },
]

function request(payload: AgentRecord): HookFields[] {
  const tool = asString(payload['tool_name'])
  if (tool === undefined) return [{ type: 'status', status: 'waiting', detail: '' }]
  return toAskFields(tool, {
    title: `Allow ${tool}?`,
    body: formatInput(payload['tool_input']),
    toolUse: asString(payload['tool_use_id']),
    options,
  })
}

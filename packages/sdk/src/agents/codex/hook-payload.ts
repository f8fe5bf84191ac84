import type { AskOption, Event } from '@remora/protocol/plain'
import type { HookPayloadReader } from '../../contract/agent.ts'
import type { EventMaker } from '../../events/event-maker.ts'
import { asString } from '../../events/fields.ts'
import type { AgentRecord } from '../../events/read-record.ts'
import {
  closeCall,
  type HookFields,
  makeHookEvents,
  type OpenCalls,
  PerSession,
  startCall,
  toCallFields,
  toPermissionFields,
  toPromptFields,
  toSessionFields,
  toWorkingFields,
} from '../../dialects/hook-payloads.ts'
import { toClaude } from './tools.ts'

/** State of the current turn. */
interface Turn {
  /** The last turns whose prompt and whose end were emitted. Both the hooks and `notify` report them. */
  prompted?: string
  ended?: string
  /** Calls that were started and not yet ended. */
  readonly open: OpenCalls
}

/**
 * Reads the payloads that Codex passes to its hooks and its `notify` program. A call that applies a patch has no end here.
 *
 * @example hookReader(maker).read({ hook_event_name: 'UserPromptSubmit', session_id: 'a', prompt: 'Hi' })
 */
export function hookReader(maker: EventMaker, state?: unknown): HookPayloadReader {
  const turns = new PerSession<Turn>(() => ({ open: [] }), state)
  return {
    read(payload: AgentRecord): Event[] | undefined {
      const thread = asString(payload['thread-id'])
      const named = thread === undefined ? payload : { ...payload, session_id: thread }
      const fields = toFields(named, turns.of(named))
      const events = fields && makeHookEvents(maker, named, fields, payload)
      const at = thread === undefined ? undefined : readTurnStart(payload['turn-id'])
      // A prompt that is dated at the end of a long turn would look like another one.
      return at === undefined
        ? events
        : events?.map((event) => (event.type === 'message' ? { ...event, at } : event))
    },
    state: () => turns.state(),
  }
}

function toFields(payload: AgentRecord, state: Turn): HookFields[] | undefined {
  const name = asString(payload['hook_event_name'])
  if (name === undefined && payload['type'] === 'agent-turn-complete') return toNotifyFields(payload, state)
  const turn = asString(payload['turn_id'])
  switch (name) {
    case 'SessionStart':
      return [toSessionFields(payload)]
    case 'SessionEnd':
      return [{ type: 'status', status: 'ended', detail: asString(payload['reason']) ?? '' }]
    case 'UserPromptSubmit': {
      const prompt = asString(payload['prompt'])
      if (prompt === undefined) return undefined
      if (turn !== undefined) state.prompted = turn
      return [toPromptFields(prompt, turn === undefined ? undefined : `${turn}/prompt`)]
    }
    case 'PreToolUse':
      return startCall(payload, state.open, toClaude)
    case 'PostToolUse':
      return toResult(payload, state.open)
    case 'Stop':
      return toEndFields(payload, turn, state, 'last_assistant_message')
    case 'Interrupt':
      return [{ type: 'done', ok: false, stopReason: 'cancelled' }]
    case 'PermissionRequest':
      return toPermissionFields(payload, options)
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

function toResult(payload: AgentRecord, open: OpenCalls): HookFields[] | undefined {
  const use = toCallFields(payload, toClaude)
  if (!use) return undefined
  const response = payload['tool_response']
  const content = asString(response) ?? JSON.stringify(response)
  return [
    ...(closeCall(open, use.entity) ? [] : [use]),
    {
      type: 'tool_result',
      entity: use.entity,
      // Only the transcript shows whether the call failed.
      status: 'success',
      ...(content === undefined ? {} : { content }),
    },
  ]
}

/** `notify` has no time but that in the id of its turn, a UUID of version 7. */
function readTurnStart(id: unknown): number | undefined {
  const [, high, low] = /^([\da-f]{8})-([\da-f]{4})-7/i.exec(asString(id) ?? '') ?? []
  return high === undefined ? undefined : Number.parseInt(`${high}${low}`, 16)
}

/** Reads the payload of `notify`: a whole turn, which hooks may have reported already. */
function toNotifyFields(payload: AgentRecord, state: Turn): HookFields[] | undefined {
  const turn = asString(payload['turn-id'])
  if (asString(payload['session_id']) === undefined) return undefined
  const messages = Array.isArray(payload['input-messages']) ? (payload['input-messages'] as unknown[]) : []
  // It lists the prompts of the whole conversation. The last one started this turn.
  const prompt = messages.flatMap((each) => asString(each) ?? []).at(-1) ?? ''
  const fresh = prompt !== '' && turn !== undefined && state.prompted !== turn
  const prompted = fresh ? [toPromptFields(prompt, `${turn}/prompt`)] : []
  return [...prompted, ...toEndFields(payload, turn, state, 'last-assistant-message')]
}

function toEndFields(
  payload: AgentRecord,
  turn: string | undefined,
  state: Turn,
  field: string,
): HookFields[] {
  if (turn !== undefined && state.ended === turn) return [{ type: 'status', status: 'idle' }]
  if (turn !== undefined) state.ended = turn
  const text = asString(payload[field]) ?? ''
  return [
    ...(text === '' ? [] : [{ type: 'text', offset: 0, text, final: true } as const]),
    { type: 'done', ok: true },
  ]
}

/** The options that Codex shows in its terminal. The payload does not contain them. */
const options: readonly AskOption[] = [
  { id: 'yes', label: 'Yes, proceed', effect: 'allow' },
  { id: 'always', label: "Yes, and don't ask again", effect: 'allow_always' },
  { id: 'no', label: 'No, and tell Codex what to do differently', effect: 'deny' },
]

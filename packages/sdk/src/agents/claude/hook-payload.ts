import type { HookPayloadReader } from '../../agent.ts'
import type { Event, ToolOutput, ToolStatus } from '@remora/protocol/plain'
import { classifyError } from '../../classify-error.ts'
import type { EventMaker } from '../../event-maker.ts'
import { fieldsOf, stringOf } from '../../fields.ts'
import type { AgentRecord } from '../../read-record.ts'
import {
  type HookFields,
  PerSession,
  hookEvents,
  promptFields,
  sessionFields,
  workingFields,
} from '../hook-payloads.ts'
import { toolOutput, toolStatus } from './content.ts'
import { toClaude } from './tools.ts'

/** What is remembered of the turn under way. */
interface Turn {
  /** The message that was displayed last, and what of it. */
  message: string | undefined
  text: string
  /** How the calls ended whose outputs the batch will tell. */
  readonly ended: Map<string, { status: ToolStatus; display: unknown }>
}

/**
 * Reads what Claude Code tells its hooks.
 *
 * @example hookReader(maker).read({ hook_event_name: 'UserPromptSubmit', session_id: 'a', prompt: 'Hi' })
 */
export function hookReader(maker: EventMaker): HookPayloadReader {
  const turns = new PerSession<Turn>(() => ({ message: undefined, text: '', ended: new Map() }))
  return {
    read(payload: AgentRecord): Event[] | undefined {
      const fields = fieldsFor(payload, turns.of(payload))
      return fields && hookEvents(maker, payload, fields)
    },
  }
}

/** Payloads that tell of nothing but that something goes on. */
const working = new Set([
  'Setup',
  'UserPromptExpansion',
  'PostCompact',
  'SubagentStart',
  'SubagentStop',
  'Elicitation',
  'ElicitationResult',
  'TeammateIdle',
  'TaskCreated',
  'TaskCompleted',
  'ConfigChange',
  'InstructionsLoaded',
  'CwdChanged',
  'FileChanged',
])

function fieldsFor(payload: AgentRecord, turn: Turn): HookFields[] | undefined {
  const name = stringOf(payload['hook_event_name']) ?? ''
  // What a sub-agent does belongs under a call that its payloads do not name.
  if (stringOf(payload['agent_id']) !== undefined || working.has(name)) return [workingFields(name)]
  switch (name) {
    case 'SessionStart':
      return [sessionFields(payload)]
    case 'SessionEnd':
      return [{ type: 'status', status: 'ended', detail: stringOf(payload['reason']) ?? '' }]
    case 'UserPromptSubmit': {
      const prompt = stringOf(payload['prompt'])
      const id = stringOf(payload['prompt_id'])
      turn.ended.clear()
      if (prompt === undefined) return undefined
      return [promptFields(prompt, id === undefined ? undefined : `${id}/prompt`)]
    }
    case 'MessageDisplay':
      return display(payload, turn)
    case 'PreToolUse':
      return call(payload)
    case 'PostToolUse':
    case 'PostToolUseFailure':
    case 'PermissionDenied':
      return result(payload, turn, name)
    case 'PostToolBatch':
      return outputs(payload, turn)
    case 'Stop':
      return [...answer(payload, turn), { type: 'done', ok: true }]
    case 'StopFailure':
      return failure(payload, turn)
    case 'PermissionRequest':
      return [{ type: 'status', status: 'waiting', detail: stringOf(payload['tool_name']) ?? '' }]
    case 'Notification': {
      const status = payload['notification_type'] === 'permission_prompt' ? 'waiting' : 'idle'
      return [{ type: 'status', status, detail: stringOf(payload['message']) ?? '' }]
    }
    case 'PreCompact':
      return [{ type: 'status', status: 'compacting' }]
    default:
      return undefined
  }
}

/** A message as it is shown, piece by piece. */
function display(payload: AgentRecord, turn: Turn): HookFields[] | undefined {
  const entity = stringOf(payload['message_id'])
  const text = stringOf(payload['delta'])
  if (entity === undefined || text === undefined) return undefined
  if (turn.message !== entity) Object.assign(turn, { message: entity, text: '' })
  const offset = turn.text.length
  turn.text += text
  return [{ type: 'text', entity, offset, text, ...(payload['final'] === true ? { final: true } : {}) }]
}

function call(payload: AgentRecord): HookFields[] | undefined {
  const entity = stringOf(payload['tool_use_id'])
  const name = stringOf(payload['tool_name'])
  if (entity === undefined || name === undefined) return undefined
  const input = payload['tool_input'] ?? {}
  return [{ type: 'tool_use', entity, ...toClaude(name, input), native: { name, input } }]
}

function result(payload: AgentRecord, turn: Turn, name: string): HookFields[] | undefined {
  const entity = stringOf(payload['tool_use_id'])
  if (entity === undefined) return undefined
  const shown = payload['tool_response']
  const failed = stringOf(payload['error']) ?? stringOf(payload['reason'])
  const content = name === 'PostToolUse' ? outputOf(shown) : failed
  const status = statusOf(payload, name, content)
  turn.ended.set(entity, { status, display: shown })
  return [resultFields(entity, status, content, shown)]
}

function statusOf(payload: AgentRecord, name: string, content: ToolOutput | undefined): ToolStatus {
  if (name === 'PermissionDenied') return 'denied'
  if (payload['is_interrupt'] === true) return 'cancelled'
  return toolStatus(name === 'PostToolUseFailure', content, payload['tool_response'])
}

/** What is shown to a person; the model's words for it come with the batch. */
function outputOf(response: unknown): ToolOutput | undefined {
  const fields = fieldsOf(response)
  const streams = [fields?.['stdout'], fields?.['stderr']].map((each) => stringOf(each) ?? '')
  return streams.some((each) => each !== '') ? streams.filter(Boolean).join('\n') : toolOutput(response)
}

/** What the calls gave to the model, in its words. */
function outputs(payload: AgentRecord, turn: Turn): HookFields[] {
  const calls = Array.isArray(payload['tool_calls']) ? (payload['tool_calls'] as unknown[]) : []
  const told = calls.flatMap((value): HookFields[] => {
    const entity = stringOf(fieldsOf(value)?.['tool_use_id']) ?? ''
    const ended = turn.ended.get(entity)
    const content = toolOutput(fieldsOf(value)?.['tool_response'])
    return ended && content !== undefined ? [resultFields(entity, ended.status, content, ended.display)] : []
  })
  turn.ended.clear()
  return told.length > 0 ? told : [workingFields('PostToolBatch')]
}

function resultFields(
  entity: string,
  status: ToolStatus,
  content: ToolOutput | undefined,
  shown: unknown,
): HookFields {
  return {
    type: 'tool_result',
    entity,
    status,
    ...(content === undefined ? {} : { content }),
    ...(fieldsOf(shown) ? { display: shown } : {}),
  }
}

/** The last words, unless they were displayed already. */
function answer(payload: AgentRecord, turn: Turn): HookFields[] {
  const text = stringOf(payload['last_assistant_message']) ?? ''
  return text === '' || turn.text === text ? [] : [{ type: 'text', offset: 0, text, final: true }]
}

/** An error is displayed like an answer, and turns out to be none only here: the words are taken back. */
function failure(payload: AgentRecord, turn: Turn): HookFields[] {
  const type = stringOf(payload['error'])
  const message = stringOf(payload['last_assistant_message']) ?? type ?? 'The model gave no answer'
  const { code } = classifyError({ message, type })
  const displayed = turn.text === message ? turn.message : undefined
  return [
    { type: 'error', code, severity: 'warning', message },
    ...(displayed === undefined
      ? []
      : [{ type: 'text', entity: displayed, offset: 0, text: '', final: true } as const]),
    { type: 'done', ok: false },
  ]
}

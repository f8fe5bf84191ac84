import type { HookPayloadReader } from '../../contract/agent.ts'
import { callEntity } from '@remora/protocol/fold'
import type { AskOption, Event, ToolOutput, ToolStatus } from '@remora/protocol/plain'
import { classifyError } from '../../events/classify-error.ts'
import type { EventMaker } from '../../events/event-maker.ts'
import { asRecord, asString } from '../../events/fields.ts'
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
import { toolOutput, toolStatus } from './content.ts'
import { toClaude } from './tools.ts'

/** What is remembered of the turn under way. */
interface Turn {
  /** The message that was displayed last, and what of it. */
  message: string | undefined
  length: number
  /** Null where it was too long to be kept. */
  text: string | null
  /** How the calls ended whose outputs the batch will tell. */
  ended: Record<string, Ended>
  /** The calls whose beginning was told and whose end was not. */
  open: OpenCalls
}

interface Ended {
  readonly status: ToolStatus
  readonly display?: unknown
}

/** What is kept of a turn for later must be small, whatever was shown in it. */
const long = 1000
/** More calls than any batch has; not everybody has a hook for batches, which would clear them. */
const mostEnded = 30

/**
 * Reads what Claude Code tells its hooks.
 *
 * @example hookReader(maker).read({ hook_event_name: 'UserPromptSubmit', session_id: 'a', prompt: 'Hi' })
 */
export function hookReader(maker: EventMaker, state?: unknown): HookPayloadReader {
  const turns = new PerSession<Turn>(fresh, state)
  return {
    read(payload: AgentRecord): Event[] | undefined {
      const fields = fieldsFor(payload, turns.of(payload))
      return fields && makeHookEvents(maker, payload, fields)
    },
    state: () => turns.state().map(([id, turn]) => [id, small(turn)]),
  }
}

function fresh(): Turn {
  return { message: undefined, length: 0, text: '', ended: {}, open: [] }
}

function small(turn: Turn): Turn {
  return {
    ...turn,
    ...(turn.length > long ? { text: null } : {}),
    ended: Object.fromEntries(
      Object.entries(turn.ended).map(([id, { status, display: shown }]) => [
        id,
        JSON.stringify(shown ?? null).length > long ? { status } : { status, display: shown },
      ]),
    ),
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
  const name = asString(payload['hook_event_name']) ?? ''
  // What a sub-agent does belongs under a call that its payloads do not name.
  if (asString(payload['agent_id']) !== undefined || working.has(name)) return [toWorkingFields(name)]
  switch (name) {
    case 'SessionStart':
      return [toSessionFields(payload)]
    case 'SessionEnd':
      turn.ended = {}
      return [{ type: 'status', status: 'ended', detail: asString(payload['reason']) ?? '' }]
    case 'UserPromptSubmit': {
      const prompt = asString(payload['prompt'])
      const id = asString(payload['prompt_id'])
      Object.assign(turn, { ended: {}, open: [] })
      if (prompt === undefined) return undefined
      return [toPromptFields(prompt, id === undefined ? undefined : `${id}/prompt`)]
    }
    case 'MessageDisplay':
      return display(payload, turn)
    case 'PreToolUse':
      return call(payload, turn)
    case 'PostToolUse':
    case 'PostToolUseFailure':
    case 'PermissionDenied':
      return result(payload, turn, name)
    case 'PostToolBatch':
      return outputs(payload, turn)
    case 'Stop':
      turn.ended = {}
      return [...answer(payload, turn), { type: 'done', ok: true }]
    case 'StopFailure':
      return failure(payload, turn)
    case 'PermissionRequest':
      return request(payload)
    case 'Notification': {
      const status = payload['notification_type'] === 'permission_prompt' ? 'waiting' : 'idle'
      return [{ type: 'status', status, detail: asString(payload['message']) ?? '' }]
    }
    case 'PreCompact':
      return [{ type: 'status', status: 'compacting' }]
    default:
      return undefined
  }
}

/** A message as it is shown, piece by piece. */
function display(payload: AgentRecord, turn: Turn): HookFields[] | undefined {
  const entity = asString(payload['message_id'])
  const text = asString(payload['delta'])
  if (entity === undefined || text === undefined) return undefined
  if (turn.message !== entity) Object.assign(turn, { message: entity, length: 0, text: '' })
  const offset = turn.length
  turn.length += text.length
  if (turn.text !== null) turn.text += text
  return [{ type: 'text', entity, offset, text, ...(payload['final'] === true ? { final: true } : {}) }]
}

function call(payload: AgentRecord, turn: Turn): HookFields[] | undefined {
  const use = useOf(payload)
  if (use) openCall(turn.open, use.entity)
  return use && [use]
}

function useOf(payload: AgentRecord) {
  const name = asString(payload['tool_name']) ?? ''
  if (name === '') return undefined
  const input = payload['tool_input'] ?? {}
  const entity = asString(payload['tool_use_id']) ?? callEntity(name, input)
  return { type: 'tool_use' as const, entity, ...toClaude(name, input), native: { name, input } }
}

function result(payload: AgentRecord, turn: Turn, name: string): HookFields[] | undefined {
  const use = useOf(payload)
  const entity = asString(payload['tool_use_id']) ?? use?.entity
  if (entity === undefined) return undefined
  const begun = closeCall(turn.open, entity)
  const shown = payload['tool_response']
  const failed = asString(payload['error']) ?? asString(payload['reason'])
  const content = name === 'PostToolUse' ? outputOf(shown) : failed
  const status = statusOf(payload, name, content)
  turn.ended[entity] = { status, display: shown }
  const [oldest, ...others] = Object.keys(turn.ended)
  if (others.length >= mostEnded) delete turn.ended[oldest!]
  return [...(begun || !use ? [] : [use]), resultFields(entity, status, content, shown)]
}

const yes: AskOption = { id: 'yes', label: 'Yes', effect: 'allow' }
const no: AskOption = { id: 'no', label: 'No', effect: 'deny' }

/** What it suggests to allow for good is the answer between yes and no. */
function request(payload: AgentRecord): HookFields[] {
  const tool = asString(payload['tool_name'])
  if (tool === undefined) return [{ type: 'status', status: 'waiting', detail: '' }]
  const suggested = payload['permission_suggestions']
  const always: readonly AskOption[] =
    Array.isArray(suggested) && suggested.length > 0
      ? [{ id: 'always', label: "Yes, and don't ask again", effect: 'allow_always' }]
      : []
  return toAskFields(tool, {
    title: `Allow ${tool}?`,
    body: formatInput(payload['tool_input']),
    toolUse: asString(payload['tool_use_id']),
    options: [yes, ...always, no],
  })
}

function statusOf(payload: AgentRecord, name: string, content: ToolOutput | undefined): ToolStatus {
  if (name === 'PermissionDenied') return 'denied'
  if (payload['is_interrupt'] === true) return 'cancelled'
  return toolStatus(name === 'PostToolUseFailure', content, payload['tool_response'])
}

/** What is shown to a person; the model's words for it come with the batch. */
function outputOf(response: unknown): ToolOutput | undefined {
  const fields = asRecord(response)
  const streams = [fields?.['stdout'], fields?.['stderr']].map((each) => asString(each) ?? '')
  return streams.some((each) => each !== '') ? streams.filter(Boolean).join('\n') : toolOutput(response)
}

/** What the calls gave to the model, in its words. */
function outputs(payload: AgentRecord, turn: Turn): HookFields[] {
  const calls = Array.isArray(payload['tool_calls']) ? (payload['tool_calls'] as unknown[]) : []
  const told = calls.flatMap((value): HookFields[] => {
    const entity = asString(asRecord(value)?.['tool_use_id']) ?? ''
    const ended = Object.hasOwn(turn.ended, entity) ? turn.ended[entity] : undefined
    const content = toolOutput(asRecord(value)?.['tool_response'])
    return ended && content !== undefined ? [resultFields(entity, ended.status, content, ended.display)] : []
  })
  turn.ended = {}
  return told.length > 0 ? told : [toWorkingFields('PostToolBatch')]
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
    ...(asRecord(shown) ? { display: shown } : {}),
  }
}

/** The last words, unless they were displayed already. */
function answer(payload: AgentRecord, turn: Turn): HookFields[] {
  const text = asString(payload['last_assistant_message']) ?? ''
  return text === '' || isShown(text, turn) ? [] : [{ type: 'text', offset: 0, text, final: true }]
}

/** An error is displayed like an answer, and turns out to be none only here: the words are taken back. */
function failure(payload: AgentRecord, turn: Turn): HookFields[] {
  const type = asString(payload['error'])
  const message = asString(payload['last_assistant_message']) ?? type ?? 'The model gave no answer'
  const { code } = classifyError({ message, type })
  const displayed = isShown(message, turn) ? turn.message : undefined
  return [
    { type: 'error', code, severity: 'warning', message },
    ...(displayed === undefined
      ? []
      : [{ type: 'text', entity: displayed, offset: 0, text: '', final: true } as const]),
    { type: 'done', ok: false },
  ]
}

/** Whether these are the words that were displayed last. */
function isShown(text: string, turn: Turn): boolean {
  return turn.text === null ? turn.length === text.length : turn.text === text
}

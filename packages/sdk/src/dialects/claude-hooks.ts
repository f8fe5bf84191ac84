import type { HookPayloadReader } from '../contract/agent.ts'
import type { AskOption, Event, ToolOutput, ToolStatus } from '@remora/protocol/plain'
import { classifyError } from '../events/classify-error.ts'
import type { EventMaker } from '../events/event-maker.ts'
import { asRecord, asString } from '../events/fields.ts'
import type { AgentRecord } from '../events/read-record.ts'
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
} from './hook-payloads.ts'
import { type ClaudeDialect, toToolOutput } from './claude-content.ts'

/** State of the current turn. */
interface Turn {
  /** The message that was displayed last, and the length and text displayed so far. */
  message: string | undefined
  length: number
  /** Null if it was too long to be stored. */
  text: string | null
  /** Ended calls whose outputs follow with PostToolBatch. */
  ended: Record<string, Ended>
  /** Calls that were started and not yet ended. */
  open: OpenCalls
}

interface Ended {
  readonly status: ToolStatus
  readonly display?: unknown
}

/** Longer texts and results are left out of the stored state. */
const maxStored = 1000
/** More calls than any batch has. Without a hook for PostToolBatch, nothing else would clear them. */
const maxEnded = 30

/** What differs between the agents that pass Claude's payloads to their hooks. */
export interface ClaudeHookDialect extends ClaudeDialect {
  /** Events that only show that the agent is working. */
  readonly working: ReadonlySet<string>
  /** Rewrites a payload whose fields differ from Claude's. */
  toClaudePayload?(payload: AgentRecord): AgentRecord
}

/**
 * Creates a reader of Claude's hook payloads.
 *
 * @example createHookReader(dialect)(maker).read({ hook_event_name: 'UserPromptSubmit', session_id: 'a', prompt: 'Hi' })
 */
export function createHookReader(dialect: ClaudeHookDialect) {
  return (maker: EventMaker, state?: unknown): HookPayloadReader => {
    const turns = new PerSession<Turn>(createTurn, state)
    return {
      read(payload: AgentRecord): Event[] | undefined {
        const claude = dialect.toClaudePayload?.(payload) ?? payload
        const fields = toFields(claude, turns.of(claude), dialect)
        return fields && makeHookEvents(maker, claude, fields, payload)
      },
      state: () => turns.state().map(([id, turn]) => [id, trimTurn(turn)]),
    }
  }
}

function createTurn(): Turn {
  return { message: undefined, length: 0, text: '', ended: {}, open: [] }
}

function trimTurn(turn: Turn): Turn {
  return {
    ...turn,
    ...(turn.length > maxStored ? { text: null } : {}),
    ended: Object.fromEntries(
      Object.entries(turn.ended).map(([id, { status, display: shown }]) => [
        id,
        JSON.stringify(shown ?? null).length > maxStored ? { status } : { status, display: shown },
      ]),
    ),
  }
}

function toFields(payload: AgentRecord, turn: Turn, dialect: ClaudeHookDialect): HookFields[] | undefined {
  const name = asString(payload['hook_event_name']) ?? ''
  // Payloads of a sub-agent do not name the call that they belong to.
  if (asString(payload['agent_id']) !== undefined || dialect.working.has(name)) return [toWorkingFields(name)]
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
      return toText(payload, turn)
    case 'PreToolUse':
      return startCall(payload, turn.open, dialect.toClaude)
    case 'PostToolUse':
    case 'PostToolUseFailure':
    case 'PermissionDenied':
      return toResult(payload, turn, name, dialect)
    case 'PostToolBatch':
      return toBatchResults(payload, turn)
    case 'Stop':
      turn.ended = {}
      return [...toAnswer(payload, turn), { type: 'done', ok: true }]
    case 'StopFailure':
      return toFailure(payload, turn)
    case 'PermissionRequest':
      return toAsk(payload)
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
function toText(payload: AgentRecord, turn: Turn): HookFields[] | undefined {
  const entity = asString(payload['message_id'])
  const text = asString(payload['delta'])
  if (entity === undefined || text === undefined) return undefined
  if (turn.message !== entity) Object.assign(turn, { message: entity, length: 0, text: '' })
  const offset = turn.length
  turn.length += text.length
  if (turn.text !== null) turn.text += text
  return [{ type: 'text', entity, offset, text, ...(payload['final'] === true ? { final: true } : {}) }]
}

function toResult(
  payload: AgentRecord,
  turn: Turn,
  name: string,
  dialect: ClaudeHookDialect,
): HookFields[] | undefined {
  const use = toCallFields(payload, dialect.toClaude)
  const entity = asString(payload['tool_use_id']) ?? use?.entity
  if (entity === undefined) return undefined
  const begun = closeCall(turn.open, entity)
  const shown = payload['tool_response']
  const failed = asString(payload['error']) ?? asString(payload['reason'])
  const content = name === 'PostToolUse' ? toShownOutput(shown) : failed
  const status = toStatus(payload, name, content, dialect)
  turn.ended[entity] = { status, display: shown }
  const [oldest, ...others] = Object.keys(turn.ended)
  if (others.length >= maxEnded) delete turn.ended[oldest!]
  return [...(begun || !use ? [] : [use]), toResultFields(entity, status, content, shown)]
}

const yes: AskOption = { id: 'yes', label: 'Yes', effect: 'allow' }
const no: AskOption = { id: 'no', label: 'No', effect: 'deny' }

/** Claude's suggestion of an allow rule becomes the option between yes and no. */
function toAsk(payload: AgentRecord): HookFields[] {
  const suggested = payload['permission_suggestions']
  const always: readonly AskOption[] =
    Array.isArray(suggested) && suggested.length > 0
      ? [{ id: 'always', label: "Yes, and don't ask again", effect: 'allow_always' }]
      : []
  return toPermissionFields(payload, [yes, ...always, no])
}

function toStatus(
  payload: AgentRecord,
  name: string,
  content: ToolOutput | undefined,
  { toToolStatus }: ClaudeHookDialect,
): ToolStatus {
  if (name === 'PermissionDenied') return 'denied'
  if (payload['is_interrupt'] === true) return 'cancelled'
  return toToolStatus(name === 'PostToolUseFailure', content, payload['tool_response'])
}

/** The output that the user sees. The text for the model comes with PostToolBatch. */
function toShownOutput(response: unknown): ToolOutput | undefined {
  const fields = asRecord(response)
  const streams = [fields?.['stdout'], fields?.['stderr']].map((each) => asString(each) ?? '')
  return streams.some((each) => each !== '') ? streams.filter(Boolean).join('\n') : toToolOutput(response)
}

/** The results as the model received them. */
function toBatchResults(payload: AgentRecord, turn: Turn): HookFields[] {
  const calls = Array.isArray(payload['tool_calls']) ? (payload['tool_calls'] as unknown[]) : []
  const results = calls.flatMap((value): HookFields[] => {
    const entity = asString(asRecord(value)?.['tool_use_id']) ?? ''
    const ended = Object.hasOwn(turn.ended, entity) ? turn.ended[entity] : undefined
    const content = toToolOutput(asRecord(value)?.['tool_response'])
    return ended && content !== undefined
      ? [toResultFields(entity, ended.status, content, ended.display)]
      : []
  })
  turn.ended = {}
  return results.length > 0 ? results : [toWorkingFields('PostToolBatch')]
}

function toResultFields(
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

/** The last message, unless it was displayed already. */
function toAnswer(payload: AgentRecord, turn: Turn): HookFields[] {
  const text = asString(payload['last_assistant_message']) ?? ''
  return text === '' || isShown(text, turn) ? [] : [{ type: 'text', offset: 0, text, final: true }]
}

/** An error is first displayed like an answer. Only StopFailure shows that it is none, so its text is removed. */
function toFailure(payload: AgentRecord, turn: Turn): HookFields[] {
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

/** Whether this is the text that was displayed last. */
function isShown(text: string, turn: Turn): boolean {
  return turn.text === null ? turn.length === text.length : turn.text === text
}

import type { HookPayloadReader } from '../../contract/agent.ts'
import type { AskOption, Event, ToolStatus } from '@remora/protocol/plain'
import type { EventMaker } from '../../events/event-maker.ts'
import { asRecord, asString, findOwn } from '../../events/fields.ts'
import type { AgentRecord } from '../../events/read-record.ts'
import {
  closeCall,
  type HookFields,
  makeHookEvents,
  type OpenCalls,
  PerSession,
  startCall,
  toAskFields,
  toCallFields,
  toPromptFields,
  toSessionFields,
  toWorkingFields,
} from '../../dialects/hook-payloads.ts'
import { shellStatus } from '../../dialects/shell-status.ts'
import { toClaude } from './tools.ts'
import { textIn } from '../../dialects/gemini-parts.ts'

/** The answer being streamed, chunk by chunk. */
interface Turn {
  entity: string | undefined
  length: number
  /** Whether any chunk arrived. The hook for chunks may not be installed. */
  heard: boolean
  /** Calls that started but have not ended. */
  readonly open: OpenCalls
}

/**
 * Reads the hook payloads of Gemini CLI. Calls have no id there and are matched by name and input.
 *
 * @example hookReader(maker).read({ hook_event_name: 'BeforeAgent', session_id: 'a', prompt: 'Hi' })
 */
export function hookReader(maker: EventMaker, state?: unknown): HookPayloadReader {
  const turns = new PerSession<Turn>(() => ({ entity: undefined, length: 0, heard: false, open: [] }), state)

  function read(payload: AgentRecord): Event[] | undefined {
    const name = asString(payload['hook_event_name'])
    const turn = turns.of(payload)
    const make = (fields: readonly HookFields[] | undefined) =>
      fields && makeHookEvents(maker, payload, fields, withoutHistory(payload))
    switch (name) {
      case 'SessionStart':
        return make([toSessionFields(payload)])
      case 'SessionEnd':
        return make([{ type: 'status', status: 'ended', detail: asString(payload['reason']) ?? '' }])
      case 'BeforeAgent': {
        const prompt = asString(payload['prompt'])
        Object.assign(turn, { entity: undefined, heard: false, open: [] })
        return make(prompt === undefined ? undefined : [toPromptFields(prompt)])
      }
      case 'AfterModel': {
        const text = asString(asRecord(payload['llm_response'])?.['text']) ?? ''
        if (text === '') return make([toWorkingFields(name)])
        const offset = turn.entity === undefined ? 0 : turn.length
        const events = make([
          { type: 'text', offset, text, ...(turn.entity === undefined ? {} : { entity: turn.entity }) },
        ])
        Object.assign(turn, { entity: events?.[0]?.entity, length: offset + text.length, heard: true })
        return events
      }
      case 'BeforeTool':
        turn.entity = undefined
        return make(startCall(payload, turn.open, toClaude))
      case 'AfterTool':
        return make(result(payload, turn.open))
      case 'AfterAgent':
        return make([...(turn.heard ? [] : answer(payload)), { type: 'done', ok: true }])
      case 'Notification':
        return make(notice(payload))
      case 'PreCompress':
        // This hook runs before every request, even if nothing is compressed, unless the user requested compression.
        return make([
          payload['trigger'] === 'manual' ? { type: 'status', status: 'compacting' } : toWorkingFields(name),
        ])
      case 'BeforeModel':
      case 'BeforeToolSelection':
        return make([toWorkingFields(name)])
      default:
        return undefined
    }
  }
  return { read, state: () => turns.state() }
}

function result(payload: AgentRecord, open: OpenCalls): HookFields[] | undefined {
  const use = toCallFields(payload, toClaude)
  if (!use) return undefined
  const response = asRecord(payload['tool_response']) ?? {}
  const error = getErrorMessage(response['error'])
  const content = error ?? textIn(response['llmContent'])
  const display = response['returnDisplay']
  return [
    ...(closeCall(open, use.entity) ? [] : [use]),
    {
      type: 'tool_result',
      entity: use.entity,
      status: getStatus(use.name, response['error'], content),
      ...(content === '' ? {} : { content }),
      ...(asRecord(display) ? { display } : {}),
    },
  ]
}

/** The CLI reports an error as an object. Other emitters of these payloads send a string, empty on success. */
function getErrorMessage(error: unknown): string | undefined {
  const fields = asRecord(error)
  const reason = asString(fields?.['message']) ?? asString(fields?.['type']) ?? asString(error)
  if (reason !== undefined) return reason === '' ? undefined : reason
  return fields && Object.keys(fields).length > 0 ? JSON.stringify(fields) : undefined
}

function getStatus(tool: string, error: unknown, content: string): ToolStatus {
  if (getErrorMessage(error) !== undefined)
    return asRecord(error)?.['type'] === 'policy_violation' ? 'denied' : 'error'
  return tool === 'Bash' ? shellStatus(content) : 'success'
}

const once: AskOption = { id: 'once', label: 'Allow once', effect: 'allow' }
const refuse: AskOption = { id: 'no', label: 'No, suggest changes', effect: 'deny' }
const session: AskOption = { id: 'session', label: 'Allow for this session', effect: 'allow_always' }
const perTool: AskOption = { id: 'tool', label: 'Allow tool for this session', effect: 'allow_always' }
const perServer: AskOption = {
  id: 'server',
  label: 'Allow all server tools for this session',
  effect: 'allow_always',
}

/** The options that the terminal offers for each kind of call. The payload does not contain them. */
const offered: Readonly<Record<string, readonly AskOption[]>> = {
  mcp: [once, perTool, perServer, refuse],
  edit: [once, session, { id: 'modify', label: 'Modify with external editor', effect: 'other' }, refuse],
}

function notice(payload: AgentRecord): HookFields[] {
  const message = asString(payload['message']) ?? ''
  const details = asRecord(payload['details'])
  if (payload['notification_type'] !== 'ToolPermission' || !details)
    return [{ type: 'status', status: 'waiting', detail: message }]
  const kind = asString(details['type']) ?? ''
  const shown = ['command', 'fileDiff', 'filePath', 'toolName', 'prompt'].map((name) => details[name])
  return toAskFields(message, {
    title: asString(details['title']) ?? message,
    body: shown.map(asString).find((each) => each !== undefined),
    options: findOwn(offered, kind) ?? [once, session, refuse],
  })
}

/** The text of the whole turn as a fallback. It has spaces between chunks and repeats some of them. */
function answer(payload: AgentRecord): HookFields[] {
  const text = asString(payload['prompt_response'])?.trim() ?? ''
  return text === '' ? [] : [{ type: 'text', offset: 0, text }]
}

/** Each request contains the whole conversation, which must not be stored every time. */
function withoutHistory(payload: AgentRecord): AgentRecord {
  if (payload['llm_request'] === undefined) return payload
  const { llm_request: _, ...rest } = payload
  return rest
}

import type { HookPayloadReader } from '../../agent.ts'
import { callEntity } from '@remora/protocol/fold'
import type { Event } from '@remora/protocol/plain'
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
import { toClaude } from './tools.ts'
import { textIn } from './transcript-content.ts'

/** The words under way, which come chunk by chunk. */
interface Turn {
  entity: string | undefined
  length: number
  /** Whether the model was heard at all: not everybody has a hook for every chunk. */
  heard: boolean
}

/**
 * Reads what Gemini CLI tells its hooks. Calls have no id here: they are found by their name and input.
 *
 * @example hookReader(maker).read({ hook_event_name: 'BeforeAgent', session_id: 'a', prompt: 'Hi' })
 */
export function hookReader(maker: EventMaker): HookPayloadReader {
  const turns = new PerSession<Turn>(() => ({ entity: undefined, length: 0, heard: false }))

  function read(payload: AgentRecord): Event[] | undefined {
    const name = stringOf(payload['hook_event_name'])
    const turn = turns.of(payload)
    const tell = (fields: readonly HookFields[] | undefined) =>
      fields && hookEvents(maker, payload, fields, withoutHistory(payload))
    switch (name) {
      case 'SessionStart':
        return tell([sessionFields(payload)])
      case 'SessionEnd':
        return tell([{ type: 'status', status: 'ended', detail: stringOf(payload['reason']) ?? '' }])
      case 'BeforeAgent': {
        const prompt = stringOf(payload['prompt'])
        Object.assign(turn, { entity: undefined, heard: false })
        return tell(prompt === undefined ? undefined : [promptFields(prompt)])
      }
      case 'AfterModel': {
        const text = stringOf(fieldsOf(payload['llm_response'])?.['text']) ?? ''
        if (text === '') return tell([workingFields(name)])
        const offset = turn.entity === undefined ? 0 : turn.length
        const events = tell([
          { type: 'text', offset, text, ...(turn.entity === undefined ? {} : { entity: turn.entity }) },
        ])
        Object.assign(turn, { entity: events?.[0]?.entity, length: offset + text.length, heard: true })
        return events
      }
      case 'BeforeTool':
        turn.entity = undefined
        return tell(call(payload))
      case 'AfterTool':
        return tell(result(payload))
      case 'AfterAgent':
        return tell([...(turn.heard ? [] : answer(payload)), { type: 'done', ok: true }])
      case 'Notification':
        return tell([{ type: 'status', status: 'waiting', detail: stringOf(payload['message']) ?? '' }])
      case 'PreCompress':
        // It is told before every request, whether there is something to compress or not, unless a person asked for it.
        return tell([
          payload['trigger'] === 'manual' ? { type: 'status', status: 'compacting' } : workingFields(name),
        ])
      case 'BeforeModel':
      case 'BeforeToolSelection':
        return tell([workingFields(name)])
      default:
        return undefined
    }
  }
  return { read }
}

function call(payload: AgentRecord): HookFields[] | undefined {
  const name = stringOf(payload['tool_name'])
  if (name === undefined) return undefined
  const input = payload['tool_input'] ?? {}
  return [
    {
      type: 'tool_use',
      entity: callEntity(name, input),
      ...toClaude(name, input),
      native: { name, input },
    },
  ]
}

function result(payload: AgentRecord): HookFields[] | undefined {
  const name = stringOf(payload['tool_name'])
  if (name === undefined) return undefined
  const response = fieldsOf(payload['tool_response']) ?? {}
  const error = stringOf(fieldsOf(response['error'])?.['message']) ?? stringOf(response['error'])
  const content = error ?? textIn(response['llmContent'])
  const display = response['returnDisplay']
  return [
    {
      type: 'tool_result',
      entity: callEntity(name, payload['tool_input'] ?? {}),
      status: error === undefined ? 'success' : 'error',
      ...(content === '' ? {} : { content }),
      ...(fieldsOf(display) ? { display } : {}),
    },
  ]
}

/** The whole turn's words in one, with blanks between the chunks and some of them twice: better than nothing. */
function answer(payload: AgentRecord): HookFields[] {
  const text = stringOf(payload['prompt_response'])?.trim() ?? ''
  return text === '' ? [] : [{ type: 'text', offset: 0, text }]
}

/** Every request repeats the whole conversation, which would be stored as often. */
function withoutHistory(payload: AgentRecord): AgentRecord {
  const { llm_request: _, ...rest } = payload
  return rest
}

import { classifyError } from '../../events/classify-error.ts'
import type { EventFields } from '../../events/event-maker.ts'
import { asCount, asRecord, asString } from '../../events/fields.ts'
import type { AgentRecord } from '../../events/read-record.ts'
import { toCall, toFailure, toPrompt, toUsage } from './parts.ts'
import { type Row, parse } from './rows.ts'

/** The fields of an event, with its time if it differs from that of the row. */
export type TimedFields = EventFields & { at?: number }

/** A session of the user. @example sessionEvents(row)[0].cwd */
export function sessionEvents(row: Row): TimedFields[] {
  const { record } = row
  const cwd = asString(record['directory'])
  const title = getTitle(record)
  const version = asString(record['version'])
  const model = formatModel(parse(record['model']))
  return [
    {
      type: 'session',
      entity: row.id,
      ...(cwd === undefined ? {} : { cwd }),
      ...(title === undefined ? {} : { title }),
      ...(version === undefined ? {} : { version }),
      ...(model === undefined ? {} : { model }),
    },
  ]
}

/** A session that a call started is not a session of the user; only its work is reported. */
export function subagentEvents(row: Row): TimedFields[] {
  const title = getTitle(row.record)
  const value = { session: row.id, agent: asString(row.record['agent']) }
  return [
    {
      type: 'status',
      entity: row.id,
      status: 'starting',
      ...(title === undefined ? {} : { detail: title }),
      value,
    },
  ]
}

/** Until a model names it, the title of a session is its time. */
export function getTitle(record: AgentRecord): string | undefined {
  const title = asString(record['title'])
  return title === undefined || /^(New|Child) session - \d{4}-\d\d-/.test(title) ? undefined : title
}

/** Formats the name of a model for OpenCode. @example formatModel({ providerID: 'a', modelID: 'b' }) // 'a/b' */
export function formatModel(value: unknown): string | undefined {
  const model = asRecord(value)
  const id = asString(model?.['modelID']) ?? asString(model?.['id'])
  const provider = asString(model?.['providerID'])
  return id === undefined || provider === undefined ? id : `${provider}/${id}`
}

/** A user message with all its parts. */
export function promptEvents(message: string, parts: readonly AgentRecord[]): TimedFields[] {
  const { content, context, others } = toPrompt(parts)
  const notes = context.map(({ id, text }): TimedFields => ({
    type: 'message',
    entity: id,
    role: 'user',
    content: [{ type: 'text', text }],
    context: true,
  }))
  const rest = others.flatMap((part) => otherPart(part) ?? [unknownPart(part)])
  const prompt: TimedFields[] =
    content.length === 0 ? [] : [{ type: 'message', entity: message, role: 'user', content }]
  const eventFields = [...prompt, ...notes, ...rest]
  // The message is written before its parts.
  return eventFields.length > 0 ? eventFields : [{ type: 'status', entity: message, status: 'working' }]
}

/** The start of an assistant message, and its error. */
export function answerEvents({ id, data, record }: Row): TimedFields[] {
  if (data['role'] !== 'assistant')
    return [{ type: 'unknown', entity: `${id}/unknown`, what: 'message', raw: record }]
  const model = formatModel(data)
  const failure = toFailure(asRecord(data['error']) ?? {})
  const eventFields: TimedFields[] = [
    { type: 'message', entity: id, role: 'assistant', ...(model === undefined ? {} : { model }) },
  ]
  if (failure) {
    const { message } = failure
    const code = failure.type === 'MessageAbortedError' ? 'aborted' : classifyError(failure).code
    eventFields.push({ type: 'error', entity: `${id}/error`, code, severity: 'warning', message })
  }
  return eventFields
}

/** One part of an assistant message; undefined for an unknown kind. */
export function partEvents(part: AgentRecord, message: Row): TimedFields[] | undefined {
  const entity = asString(part['id']) ?? ''
  const time = asRecord(part['time'])
  const start = asCount(time?.['start'])
  const when = start === undefined ? {} : { at: start }
  switch (part['type']) {
    case 'text':
    case 'reasoning': {
      const text = asString(part['text'])
      if (text === undefined) return undefined
      const type = part['type'] === 'text' ? 'text' : 'thinking'
      const over = time?.['end'] !== undefined || asRecord(message.data['time'])?.['completed'] !== undefined
      const final = over ? ({ final: true } as const) : {}
      return [{ type, entity, message: message.id, offset: 0, text, ...final, ...when }]
    }
    case 'tool':
      return toolEvents(part, message.id)
    case 'step-finish':
      return [
        {
          type: 'usage',
          entity: message.id,
          scope: 'message',
          usage: toUsage(asRecord(part['tokens']) ?? {}),
          ...modelFields(message),
          ...(Number.isFinite(part['cost']) ? { costUsd: part['cost'] as number } : {}),
        },
      ]
    default:
      return otherPart(part)
  }
}

function modelFields({ data }: Row): { model?: string } {
  const model = formatModel(data)
  return model === undefined ? {} : { model }
}

function toolEvents(part: AgentRecord, message: string): TimedFields[] | undefined {
  const call = toCall(part, message)
  if (!call) return undefined
  const time = asRecord(asRecord(part['state'])?.['time'])
  const [start, end] = [asCount(time?.['start']), asCount(time?.['end'])]
  const { use, result } = call
  const eventFields: TimedFields[] = [start === undefined ? use : { ...use, at: start }]
  if (result) eventFields.push(end === undefined ? result : { ...result, at: end })
  return eventFields
}

/** Parts without text or tool calls. */
function otherPart(part: AgentRecord): TimedFields[] | undefined {
  const entity = asString(part['id']) ?? ''
  switch (part['type']) {
    case 'compaction':
      return [{ type: 'status', entity, status: 'compacting', value: { auto: part['auto'] === true } }]
    case 'retry': {
      const detail = toFailure(asRecord(part['error']) ?? {})?.message
      const value = { attempt: part['attempt'] }
      return [
        { type: 'status', entity, status: 'retrying', ...(detail === undefined ? {} : { detail }), value },
      ]
    }
    // An `@agent` is in the text as well; patches and snapshots are states of the folder for reverts.
    case 'step-start':
    case 'agent':
    case 'patch':
    case 'snapshot':
      return [{ type: 'status', entity, status: 'working', detail: part['type'] }]
    default:
      return undefined
  }
}

/** @example unknownPart({ id: 'prt_1', type: 'new' }) */
export function unknownPart(part: AgentRecord): TimedFields {
  const what = `part/${asString(part['type']) ?? 'record'}`
  return { type: 'unknown', entity: `${asString(part['id']) ?? ''}/unknown`, what, raw: part }
}

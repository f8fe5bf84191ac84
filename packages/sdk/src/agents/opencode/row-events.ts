import { classifyError } from '../../events/classify-error.ts'
import type { EventFields } from '../../events/event-maker.ts'
import { asCount, asRecord, asString } from '../../events/fields.ts'
import type { AgentRecord } from '../../events/read-record.ts'
import { callOf, failureOf, promptOf, tokensOf } from './parts.ts'
import { type Row, parse } from './rows.ts'

/** What happened, and when, where that is not the time of its row. */
export type Told = EventFields & { at?: number }

/** A session of its own. @example sessionEvents(row)[0].cwd */
export function sessionEvents(row: Row): Told[] {
  const { record } = row
  const cwd = asString(record['directory'])
  const title = titleOf(record)
  const version = asString(record['version'])
  const model = modelOf(parse(record['model']))
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

/** A session that a call started is no session of the person's: only its work counts. */
export function subagentEvents(row: Row): Told[] {
  const title = titleOf(row.record)
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

/** Until a model has named it, a session is named by its time. */
export function titleOf(record: AgentRecord): string | undefined {
  const title = asString(record['title'])
  return title === undefined || /^(New|Child) session - \d{4}-\d\d-/.test(title) ? undefined : title
}

/** The name by which OpenCode is told of a model. @example modelOf({ providerID: 'a', modelID: 'b' }) // 'a/b' */
export function modelOf(value: unknown): string | undefined {
  const model = asRecord(value)
  const id = asString(model?.['modelID']) ?? asString(model?.['id'])
  const provider = asString(model?.['providerID'])
  return id === undefined || provider === undefined ? id : `${provider}/${id}`
}

/** A person's message with all of its parts. */
export function promptEvents(message: string, parts: readonly AgentRecord[]): Told[] {
  const { content, context, others } = promptOf(parts)
  const notes = context.map(({ id, text }): Told => ({
    type: 'message',
    entity: id,
    role: 'user',
    content: [{ type: 'text', text }],
    context: true,
  }))
  const rest = others.flatMap((part) => otherPart(part) ?? [unknownPart(part)])
  const prompt: Told[] =
    content.length === 0 ? [] : [{ type: 'message', entity: message, role: 'user', content }]
  const told = [...prompt, ...notes, ...rest]
  // The message is there before its parts are.
  return told.length > 0 ? told : [{ type: 'status', entity: message, status: 'working' }]
}

/** That a message of the assistant's begins, and how it failed. */
export function answerEvents({ id, data, record }: Row): Told[] {
  if (data['role'] !== 'assistant')
    return [{ type: 'unknown', entity: `${id}/unknown`, what: 'message', raw: record }]
  const model = modelOf(data)
  const failure = failureOf(asRecord(data['error']) ?? {})
  const told: Told[] = [
    { type: 'message', entity: id, role: 'assistant', ...(model === undefined ? {} : { model }) },
  ]
  if (failure) {
    const { message } = failure
    const code = failure.type === 'MessageAbortedError' ? 'aborted' : classifyError(failure).code
    told.push({ type: 'error', entity: `${id}/error`, code, severity: 'warning', message })
  }
  return told
}

/** One part of the assistant's message; undefined for one that we do not know. */
export function partEvents(part: AgentRecord, message: Row): Told[] | undefined {
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
          usage: tokensOf(asRecord(part['tokens']) ?? {}),
          ...modelFields(message),
          ...(Number.isFinite(part['cost']) ? { costUsd: part['cost'] as number } : {}),
        },
      ]
    default:
      return otherPart(part)
  }
}

function modelFields({ data }: Row): { model?: string } {
  const model = modelOf(data)
  return model === undefined ? {} : { model }
}

function toolEvents(part: AgentRecord, message: string): Told[] | undefined {
  const call = callOf(part, message)
  if (!call) return undefined
  const time = asRecord(asRecord(part['state'])?.['time'])
  const [start, end] = [asCount(time?.['start']), asCount(time?.['end'])]
  const { use, result } = call
  const told: Told[] = [start === undefined ? use : { ...use, at: start }]
  if (result) told.push(end === undefined ? result : { ...result, at: end })
  return told
}

/** Parts that are neither words nor work. */
function otherPart(part: AgentRecord): Told[] | undefined {
  const entity = asString(part['id']) ?? ''
  switch (part['type']) {
    case 'compaction':
      return [{ type: 'status', entity, status: 'compacting', value: { auto: part['auto'] === true } }]
    case 'retry': {
      const detail = failureOf(asRecord(part['error']) ?? {})?.message
      const value = { attempt: part['attempt'] }
      return [
        { type: 'status', entity, status: 'retrying', ...(detail === undefined ? {} : { detail }), value },
      ]
    }
    // An `@agent` stands in the text as well; patches and snapshots are states of the folder to go back to.
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
export function unknownPart(part: AgentRecord): Told {
  const what = `part/${asString(part['type']) ?? 'record'}`
  return { type: 'unknown', entity: `${asString(part['id']) ?? ''}/unknown`, what, raw: part }
}
